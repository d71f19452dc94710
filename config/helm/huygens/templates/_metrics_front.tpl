{{/* Adds to the controller's pod what config/metrics-front/deployment+strategic.yaml adds. Arguments: root, pod. */}}
{{- define "huygens.withMetricsFront" -}}
{{- $added := (.root.Files.Get "files/metrics-front/deployment+strategic.yaml" | fromYaml).spec.template.spec }}
{{- $container := first .pod.containers }}
{{- range $field := list "ports" "volumeMounts" }}
{{- $_ := set $container $field (concat (get (first $added.containers) $field) (get $container $field)) }}
{{- end }}
{{- range $added.volumes }}
{{- if hasKey . "secret" }}{{ $_ := set .secret "secretName" $.root.Values.controller.metricsFront.tls.secretName }}{{ end }}
{{- end }}
{{- $_ := set .pod "volumes" (concat $added.volumes .pod.volumes) }}
{{- end }}

{{/* Made once in a rendering, since each call would make another; what the cluster has is kept. */}}
{{- define "huygens.metricsFrontSecret" -}}
{{- $tls := .Values.controller.metricsFront.tls }}
{{- if not (hasKey $tls "made") }}
{{- $held := lookup "v1" "Secret" .Release.Namespace $tls.secretName }}
{{- $data := dict }}
{{- if $held }}
{{- $data = $held.data }}
{{- else }}
{{- $name := printf "huygens-metrics-front.%s.svc" .Release.Namespace }}
{{- $authority := genCA "huygens-metrics-front-ca" (int $tls.days) }}
{{- $server := genSignedCert "huygens-metrics-front" nil (list $name) (int $tls.days) $authority }}
{{- $data = dict "ca.crt" ($authority.Cert | b64enc) "tls.crt" ($server.Cert | b64enc) "tls.key" ($server.Key | b64enc) }}
{{- end }}
{{- $_ := set $tls "made" (dict "apiVersion" "v1" "kind" "Secret" "metadata" (dict "name" $tls.secretName "namespace" .Release.Namespace) "type" "kubernetes.io/tls" "data" $data) }}
{{- end }}
{{- toYaml $tls.made }}
{{- end }}
