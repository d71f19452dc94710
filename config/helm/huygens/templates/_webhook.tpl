{{- define "huygens.webhookConfig" -}}
{{- $config := mustMergeOverwrite (.Files.Get "files/webhook/webhook.yaml" | fromYaml) (deepCopy .Values.webhook.config) }}
{{- if ne .Release.Namespace "kube-system" }}
{{- $user := dict "controllerUser" (printf "system:serviceaccount:%s:huygens-controller" .Release.Namespace) }}
{{- $_ := set $config "webhook" (mustMerge ($config.webhook | default dict) $user) }}
{{- end }}
{{- $rules := $config.rules | default dict }}
{{- if and (not (has (toString (get $rules "mode" | default "off")) (list "off" "false"))) (ne .Release.Namespace "kube-system") }}
{{- $_ := set $rules "excludedNamespaces" (append ($rules.excludedNamespaces | default list) .Release.Namespace | uniq) }}
{{- end }}
{{- range $field, $port := dict "address" ":8443" "adminAddress" ":8889" }}
{{- $given := toString (get $config.server $field) }}
{{- if or (not (hasSuffix $port $given)) (regexMatch "^(127[.]|localhost:|\\[::1\\])" $given) }}
{{- fail (printf "webhook.config.server.%s is %q: the Service and kubelet's probes ask port %s on the pod's address; leave it out" $field $given (trimPrefix ":" $port)) }}
{{- end }}
{{- end }}
{{- toYaml $config }}
{{- end }}

{{/* config/webhook/deployment.yaml as the values want it. Arguments: root, deployment. */}}
{{- define "huygens.webhookDeployment" -}}
{{- $values := .root.Values }}
{{- $_ := set .deployment.spec "replicas" $values.webhook.replicas }}
{{- $template := .deployment.spec.template }}
{{- $checksum := dict "checksum/config" (include "huygens.webhookConfig" .root | sha256sum) }}
{{- $_ := set $template.metadata "annotations" (merge $checksum $values.podAnnotations ($template.metadata.annotations | default dict)) }}
{{- $_ := set $template.metadata "labels" (merge $template.metadata.labels $values.podLabels) }}
{{- $pod := $template.spec }}
{{- $_ := set $pod "priorityClassName" $values.priorityClassName }}
{{- range $field := list "imagePullSecrets" "nodeSelector" "tolerations" "affinity" }}
{{- with get $values $field }}{{ $_ := set $pod $field . }}{{ end }}
{{- end }}
{{- $huygens := first $pod.containers }}
{{- $_ := set $huygens "image" (include "huygens.image" (dict "image" $values.image "tag" .root.Chart.AppVersion)) }}
{{- $_ := set $huygens "imagePullPolicy" $values.image.pullPolicy }}
{{- $_ := set $huygens "resources" $values.webhook.resources }}
{{- range $pod.volumes }}
{{- if eq .name "huygens-webhook-tls" }}{{ $_ := set .secret "secretName" $values.webhook.tls.secretName }}{{ end }}
{{- end }}
{{- toYaml .deployment }}
{{- end }}

{{/* The authority that the API server believes, as PEM; empty where helm does not know it. With `generate` the Secret's. */}}
{{- define "huygens.webhookAuthority" -}}
{{- if eq .Values.webhook.tls.source "generate" }}{{ (include "huygens.webhookSecret" . | fromYaml).data | dig "ca.crt" "" | b64dec }}
{{- else }}{{ .Values.webhook.tls.caBundle }}
{{- end }}
{{- end }}

{{/* Made once in a rendering, since each call would make another. */}}
{{- define "huygens.webhookSecret" -}}
{{- if not (hasKey .Values.webhook.tls "made") }}
{{- $tls := .Values.webhook.tls }}
{{- $held := lookup "v1" "Secret" .Release.Namespace $tls.secretName }}
{{- $data := dict }}
{{- if $held }}
{{- $data = $held.data }}
{{- else }}
{{- $name := printf "huygens-webhook.%s.svc" .Release.Namespace }}
{{- $authority := genCA "huygens-webhook-ca" (int $tls.days) }}
{{- $server := genSignedCert "huygens-webhook" nil (list $name) (int $tls.days) $authority }}
{{- $data = dict "ca.crt" ($authority.Cert | b64enc) "tls.crt" ($server.Cert | b64enc) "tls.key" ($server.Key | b64enc) }}
{{- end }}
{{- $_ := set $tls "made" (dict "apiVersion" "v1" "kind" "Secret" "metadata" (dict "name" $tls.secretName "namespace" .Release.Namespace) "type" "kubernetes.io/tls" "data" $data) }}
{{- end }}
{{- toYaml .Values.webhook.tls.made }}
{{- end }}
