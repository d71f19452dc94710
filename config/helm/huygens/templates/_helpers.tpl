{{/* An object of config/, in the release's namespace. Arguments: root, text. */}}
{{- define "huygens.object" -}}
{{- $namespace := .root.Release.Namespace }}
{{- $object := .text | fromYaml }}
{{- with $object.Error }}{{ fail . }}{{ end }}
{{- /* This Role of Kubernetes' own is in kube-system, and so must be what refers to it. */}}
{{- $fixed := eq (dig "roleRef" "name" "" $object) "extension-apiserver-authentication-reader" }}
{{- if and (hasKey $object.metadata "namespace") (not $fixed) }}{{ $_ := set $object.metadata "namespace" $namespace }}{{ end }}
{{- range $object.subjects }}{{ $_ := set . "namespace" $namespace }}{{ end }}
{{- toYaml $object }}
{{- end }}

{{/* Refuses another value than the shipped one where permissions would not follow it. Arguments: where, values, shipped, path. */}}
{{- define "huygens.fixed" -}}
{{- $given := .values }}
{{- $shipped := .shipped }}
{{- range splitList "." .path }}
{{- $given = get (default dict $given) . }}
{{- $shipped = get $shipped . }}
{{- end }}
{{- if not (has $given (list "" nil $shipped)) }}
{{- fail (printf "%s.%s is %v: the permissions that the chart gives are for %v alone; leave it out" .where .path $given $shipped) }}
{{- end }}
{{- end }}

{{- define "huygens.extenderConfig" -}}
{{- $config := .Files.Get "files/extender.yaml" | fromYaml }}
{{- $listed := dig "filter" "checks" "" .Values.config }}
{{- range $config.filter.checks }}
{{- /* YAML takes an `off` without quotes for false. */}}
{{- $mode := dig .name .mode $.Values.checks | toString }}
{{- $mode = ternary "off" $mode (eq $mode "false") }}
{{- if and $listed (ne $mode .mode) }}
{{- fail (printf "checks.%s and config.filter.checks are both set: the list replaces what `checks` says, so set one of them" .name) }}
{{- end }}
{{- $_ := set . "mode" $mode }}
{{- end }}
{{- $_ := set $config.bind.lease "namespace" .Release.Namespace }}
{{- range list "bind.lease.name" "bind.lease.namespace" }}
{{- include "huygens.fixed" (dict "where" "config" "values" $.Values.config "shipped" $config "path" .) }}
{{- end }}
{{- if hasKey .Values.config "rescheduler" }}
{{- $_ := set $config "rescheduler" (dict "namespace" .Release.Namespace "lease" "huygens-move") }}
{{- range list "rescheduler.lease" "rescheduler.namespace" }}
{{- include "huygens.fixed" (dict "where" "config" "values" $.Values.config "shipped" $config "path" .) }}
{{- end }}
{{- end }}
{{- /* The file is for the history that huygens keeps where there is no Prometheus; huygens refuses both. */}}
{{- if dig "usage" "prometheus" "" .Values.config }}{{ $_ := unset $config.usage "historyFile" }}{{ end }}
{{- $merged := mustMergeOverwrite $config (deepCopy .Values.config) }}
{{- range $merged.filter.checks }}
{{- if kindIs "map" . }}{{ if eq (toString .mode) "false" }}{{ $_ := set . "mode" "off" }}{{ end }}{{ end }}
{{- end }}
{{- $admin := toString $merged.server.adminAddress }}
{{- if or (not (hasSuffix ":8889" $admin)) (regexMatch "^(127[.]|localhost:|\\[::1\\])" $admin) }}
{{- $why := "kubelet's probes and the Service ask port 8889 on the pod's address; leave it out, or say \"[::]:8889\"" }}
{{- fail (printf "config.server.adminAddress is %q: %s" $admin $why) }}
{{- end }}
{{- toYaml $merged }}
{{- end }}

{{- define "huygens.kubeSchedulerConfig" -}}
{{- $config := .Files.Get "files/kube-scheduler.yaml" | fromYaml }}
{{- $_ := set $config.leaderElection "resourceNamespace" .Release.Namespace }}
{{- $_ := set (first $config.profiles) "schedulerName" .Values.kubeScheduler.schedulerName }}
{{- range list "leaderElection.resourceName" "leaderElection.resourceNamespace" }}
{{- include "huygens.fixed" (dict "where" "kubeScheduler.config" "values" $.Values.kubeScheduler.config "shipped" $config "path" .) }}
{{- end }}
{{- toYaml (mustMergeOverwrite $config (deepCopy .Values.kubeScheduler.config)) }}
{{- end }}

{{/* REPOSITORY:TAG or REPOSITORY@DIGEST. Arguments: image, tag (where the image names none). */}}
{{- define "huygens.image" -}}
{{- if .image.digest }}{{ .image.repository }}@{{ .image.digest }}
{{- else }}{{ .image.repository }}:{{ .image.tag | default .tag }}
{{- end }}
{{- end }}

{{/* Where cert-manager puts the client's certificate: it makes one Secret for each. */}}
{{- define "huygens.clientSecret" -}}
{{- .Values.tls.secretName }}{{ if eq .Values.tls.source "certManager" }}-kube-scheduler{{ end }}
{{- end }}

{{/* config/scheduler/deployment.yaml as the values want it. Arguments: root, deployment. */}}
{{- define "huygens.deployment" -}}
{{- $values := .root.Values }}
{{- $_ := set .deployment.spec "replicas" $values.replicas }}
{{- $template := .deployment.spec.template }}
{{- /* The names of ConfigMaps have no hash here, so this is what rolls the pods when one changes. */}}
{{- $configs := printf "%s\n%s" (include "huygens.extenderConfig" .root) (include "huygens.kubeSchedulerConfig" .root) }}
{{- $annotations := dict "checksum/config" (sha256sum $configs) }}
{{- $_ := set $template.metadata "annotations" (merge $annotations $values.podAnnotations ($template.metadata.annotations | default dict)) }}
{{- $_ := set $template.metadata "labels" (merge $template.metadata.labels $values.podLabels) }}

{{- $pod := $template.spec }}
{{- $_ := set $pod "priorityClassName" $values.priorityClassName }}
{{- range $field := list "imagePullSecrets" "nodeSelector" "tolerations" "affinity" }}
{{- with get $values $field }}{{ $_ := set $pod $field . }}{{ end }}
{{- end }}
{{- $huygens := first $pod.initContainers }}
{{- $_ := set $huygens "image" (include "huygens.image" (dict "image" $values.image "tag" .root.Chart.AppVersion)) }}
{{- $_ := set $huygens "imagePullPolicy" $values.image.pullPolicy }}
{{- $_ := set $huygens "resources" $values.resources }}
{{- $_ := set $huygens "volumeMounts" (concat $huygens.volumeMounts $values.extraVolumeMounts) }}
{{- $scheduler := first $pod.containers }}
{{- $cluster := regexFind "^v[0-9]+\\.[0-9]+\\.[0-9]+" .root.Capabilities.KubeVersion.Version }}
{{- $_ := set $scheduler "image" (include "huygens.image" (dict "image" $values.kubeScheduler.image "tag" $cluster)) }}
{{- $_ := set $scheduler "imagePullPolicy" $values.image.pullPolicy }}
{{- $_ := set $scheduler "resources" $values.kubeScheduler.resources }}

{{- range $pod.volumes }}
{{- if eq .name "huygens-history" }}{{ $_ := set . "emptyDir" (dict "sizeLimit" $values.historySize) }}{{ end }}
{{- if eq .name "huygens-server-tls" }}{{ $_ := set .secret "secretName" $values.tls.secretName }}{{ end }}
{{- if eq .name "huygens-client-tls" }}
{{- $_ := set .secret "secretName" (include "huygens.clientSecret" $.root) }}
{{- if eq $values.tls.source "certManager" }}
{{- range .secret.items }}{{ $_ := set . "key" (.key | replace "kube-scheduler" "tls") }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- $_ := set $pod "volumes" (concat $pod.volumes $values.extraVolumes) }}
{{- toYaml .deployment }}
{{- end }}
