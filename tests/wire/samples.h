// Small requests and objects in the shape in which Go's encoder writes them; made up for these tests.
#pragma once

#include <string_view>

namespace huygens::wire::samples {

inline constexpr std::string_view kPod =
    R"({"metadata":{"name":"web-0","namespace":"shop","uid":"uid-web-0","resourceVersion":"17","creationTimestamp":"2026-11-21T11:36:17Z",)"
    R"("labels":{"app":"web","biz.group.resource.quota":"team-a","biz.group.resource.quota/cpu-type":"A4"},"annotations":{"example.com/note":"a\u003cb \u0026 \"c\" 中文 \u2028 end","topology.crane.io/cpu-policy":"exclusive",)"
    R"("topology.crane.io/topology-awareness":"true","topology.crane.io/topology-result":"[{\"name\":\"node1\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"2\"}}}]",)"
    R"("huygens.dev/placement":"{\"uid\":\"uid-web-0\",\"node\":\"worker-2\"}"},)"
    R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"web","uid":"uid-ds","controller":true,"blockOwnerDeletion":true}]},)"
    R"("spec":{"volumes":[{"name":"scratch","emptyDir":{"sizeLimit":"1Gi"}}],"initContainers":[{"name":"init","image":"i","command":["sh","-c","echo a \u003e /b"],)"
    R"("resources":{"limits":{"cpu":"1","memory":"128Mi"},"requests":{"cpu":"500m","memory":"64Mi"}}},)"
    R"({"name":"mesh","image":"m","resources":{"limits":{"cpu":"100m"},"requests":{"cpu":"100m"}},"restartPolicy":"Always"}],)"
    R"("containers":[{"name":"main","image":"c","resources":{"limits":{"cpu":"2","memory":"4Gi","example.com/gpu":"1"},"requests":{"cpu":"2","memory":"4Gi","example.com/gpu":"1"}}}],)"
    R"("restartPolicy":"Always","nodeName":"worker-2","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"operator":"Exists"}],)"
    R"("priority":100000,"overhead":{"cpu":"250m","memory":"120Mi"},"resources":{"requests":{"cpu":"3"},"limits":{"cpu":"4"}}},)"
    R"("status":{"phase":"Running","qosClass":"Burstable"}})";

inline constexpr std::string_view kNode =
    R"({"metadata":{"name":"worker-0","uid":"uid-worker-0","resourceVersion":"188","labels":{"topology.kubernetes.io/zone":"z0","kubernetes.io/hostname":"worker-0"}},)"
    R"("spec":{},"status":{"capacity":{"cpu":"8","memory":"32Gi","pods":"250"},"allocatable":{"cpu":"7500m","memory":"30Gi","pods":"250","example.com/gpu":"2"},)"
    R"("conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":null}],"daemonEndpoints":{"kubeletEndpoint":{"Port":0}}}})";

inline constexpr std::string_view kFilterNames =
    R"({"Pod":{"metadata":{"name":"web-0","namespace":"shop","uid":"uid-web-0"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},)"
    R"("status":{}},"Nodes":null,"NodeNames":["worker-0","worker-1","worker-0"]})";

inline constexpr std::string_view kFilterNodes =
    R"({"Pod":{"metadata":{"name":"web-0"},"spec":{},"status":{}},"Nodes":{"metadata":{"resourceVersion":"9"},"items":[)"
    R"({"metadata":{"name":"worker-0","managedFields":[{"fieldsV1":{"f:metadata":{".":{}}}}]},"spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}}}},)"
    R"({"metadata":{"name":"worker-1"},"spec":{},"status":{"images":[{"names":["a\u003cb"],"sizeBytes":1}]}}]},"NodeNames":null})";

inline constexpr std::string_view kPreemptMeta =
    R"({"Pod":{"metadata":{"name":"vip"},"spec":{},"status":{}},"NodeNameToVictims":null,"NodeNameToMetaVictims":{)"
    R"("worker-0":{"Pods":[{"UID":"u1"},{"UID":"u2"}],"NumPDBViolations":1},"worker-3":{"Pods":[],"NumPDBViolations":0}}})";

inline constexpr std::string_view kPreemptFull =
    R"({"Pod":{"metadata":{"name":"vip"},"spec":{},"status":{}},"NodeNameToVictims":{)"
    R"("worker-1":{"Pods":[{"metadata":{"name":"low","uid":"u1"},"spec":{},"status":{}}],"NumPDBViolations":2}},"NodeNameToMetaVictims":null})";

inline constexpr std::string_view kBind =
    R"({"PodName":"web-0","PodNamespace":"shop","PodUID":"uid-web-0","Node":"worker-2"})";

inline constexpr std::string_view kCraneTopology =
    R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{"name":"worker-0","ownerReferences":[)"
    R"({"apiVersion":"v1","kind":"Node","name":"worker-0","uid":"uid-worker-0"}]},"craneManagerPolicy":{"cpuManagerPolicy":"Static",)"
    R"("topologyManagerPolicy":"SingleNUMANodePodLevel"},"reserved":{"cpu":"2"},"attributes":{"go.crane.io/reserved-system-cpus":"0-1"},"zones":[)"
    R"({"name":"node10","type":"Node","costs":[{"name":"node2","value":21},{"name":"node10","value":10}],"resources":{"capacity":{"cpu":"16"},"allocatable":{"cpu":"16"}}},)"
    R"({"name":"node2","type":"Node","parent":"socket0","costs":[{"name":"node10","value":21},{"name":"node2","value":10}],)"
    R"("attributes":{"offline_capacity":"5500m","offline_capacity_updated":"2026-11-21T11:36:17Z"},)"
    R"("resources":{"capacity":{"cpu":"16","memory":"64Gi"},"allocatable":{"cpu":"14","memory":"60Gi"},"reservedCPUNums":2}},)"
    R"({"name":"socket0","type":"Socket","resources":{"capacity":{"cpu":"32"}}}]})";

inline constexpr std::string_view kCommunityTopology =
    R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":{"name":"worker-1"},"topologyPolicies":["SingleNUMANodePodLevel"],)"
    R"("attributes":[{"name":"topologyManagerScope","value":"pod"},{"name":"topologyManagerPolicy","value":"restricted"}],"zones":[)"
    R"({"name":"node-1","type":"Node","costs":[{"name":"node-0","value":21},{"name":"node-1","value":10}],"attributes":[{"name":"offline_capacity","value":"3"}],)"
    R"("resources":[{"name":"cpu","capacity":"4","allocatable":"4","available":"2"},{"name":"example.com/nic","capacity":"2","allocatable":"2","available":"0"}]},)"
    R"({"name":"node-0","type":"Node","resources":[{"name":"cpu","capacity":"4","allocatable":"3500m","available":"1500m"}]}]})";

inline constexpr std::string_view kPodList =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"4711","continue":"eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ","remainingItemCount":2},)"
    R"("items":[{"metadata":{"name":"a","note":"]},{"}},{"metadata":{"name":"b"}} , {}]})";

inline constexpr std::string_view kWatchAdded =
    R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"12"},"spec":{}}})";
inline constexpr std::string_view kWatchBookmark =
    R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"99","creationTimestamp":null},"spec":{"containers":null},"status":{}}})";
inline constexpr std::string_view kStatusGone =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1, newest 2","reason":"Expired","code":410})";

inline constexpr std::string_view kLease =
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-bind","namespace":"kube-system","uid":"uid-lease","resourceVersion":"77"},)"
    R"("spec":{"holderIdentity":"host-1","leaseDurationSeconds":10,"acquireTime":"2026-11-21T11:36:17.000001Z","renewTime":"2026-11-21T11:36:20.500000Z","leaseTransitions":3}})";

inline constexpr std::string_view kPodMetrics =
    R"({"metadata":{"name":"web-0","namespace":"shop"},"timestamp":"2026-11-21T12:00:15Z","window":"15.104s",)"
    R"("containers":[{"name":"app","usage":{"cpu":"12345678n","memory":"1024Ki"}},{"name":"proxy","usage":{"cpu":"2m","memory":"3Mi"}}]})";
inline constexpr std::string_view kUsageHistory =
    R"({"apiVersion":"huygens.dev/v1alpha1","kind":"UsageHistory","metadata":{"name":"h"},"spec":{"series":[)"
    R"({"workload":"s/Pod/p","resource":"cpu","weekly":[{"from":"00:00","use":"500m"},{"from":"Mon-Fri 09:00","use":6}]},)"
    R"({"node":"n1","resource":"memory","start":"2026-11-20T00:00:00Z","values":["2Gi",null,"3Gi"]}]}})";

inline constexpr std::string_view kQuotaTransfer =
    R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"QuotaTransfer","metadata":{"name":"ranking-ads-x7k2p","uid":"uid-transfer","resourceVersion":"7",)"
    R"("finalizers":["quota.huygens.dev/transfer","example.com/keep"]},"spec":{"from":"ranking","to":"ads","amounts":{"limits.cpu":"20","limits.memory":"64Gi"},)"
    R"("until":"2026-12-31T00:00:00Z"},"status":{"phase":"Moving","message":"wait","common":"org","shrinking":["ranking","search"],"growing":["ads"]}})";

inline constexpr std::string_view kBizGroupQuota =
    R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota","metadata":{"name":"team-a","uid":"uid-team-a","resourceVersion":"9"},)"
    R"("spec":{"parentBizGroup":"dept","hard":{"limits.cpu":"10","limits.cpu.A4":4,"limits.memory":"64Gi","cash/limits.cpu":"1k"}},)"
    R"("status":{"hard":{"limits.cpu":"10"},"used":{"limits.cpu":"6","cash/limits.cpu":"12500m"},"selfUsed":{"limits.cpu":"6","cash/limits.cpu":"12500m"},)"
    R"("lastReconcileTime":"2026-11-21T11:36:17Z"}})";

inline constexpr std::string_view kResourceClaim =
    R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"train-gpus","namespace":"ns","uid":"uid-claim","resourceVersion":"12"},)"
    R"("spec":{"devices":{"requests":[{"name":"main","exactly":{"deviceClassName":"gpu.example.com","allocationMode":"ExactCount","count":2}},)"
    R"({"name":"more","firstAvailable":[{"name":"two","deviceClassName":"gpu.example.com","allocationMode":"ExactCount","count":2},)"
    R"({"name":"nic","deviceClassName":"nic.example.com","allocationMode":"ExactCount","count":1}]}],"config":[{"requests":["main"]}]}},)"
    R"("status":{"allocation":{"devices":{"results":[{"request":"main","driver":"gpu.example.com","pool":"n1","device":"gpu-0"}]}},)"
    R"("reservedFor":[{"resource":"pods","name":"b","uid":"uid-b"},{"resource":"pods","name":"a","uid":"uid-a"}]}})";
inline constexpr std::string_view kDeviceClass =
    R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu.example.com","uid":"uid-class","creationTimestamp":"2026-11-21T12:00:00Z"},)"
    R"("spec":{"selectors":[{"cel":{"expression":"true"}}],"extendedResourceName":"example.com/gpu"}})";

}  // namespace huygens::wire::samples
