{{/* What every object of the release is named after: the release itself, where its name says what it is. */}}
{{- define "gatewright.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains "gatewright" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-gatewright" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What the pods of the control plane are found by. A Deployment's selector can never change. */}}
{{- define "gatewright.selector" -}}
app.kubernetes.io/name: gatewright
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: control-plane
{{- end -}}

{{/* Of every object. `managed-by` is Helm's: what carries `managed-by: gatewright` belongs to a Gateway. */}}
{{- define "gatewright.labels" -}}
app.kubernetes.io/name: gatewright
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: gatewright
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gatewright.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "gatewright.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.create is false: name the ServiceAccount to use in serviceAccount.name" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* An image by digest where there is one, else by tag, else by the version of the chart. Takes (dict "image" … "version" …). */}}
{{- define "gatewright.image" -}}
{{- $tag := default .version .image.tag -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository $tag -}}
{{- end -}}
{{- end -}}

{{/* What proxies run: the image of the control plane, unless they have one of their own. */}}
{{- define "gatewright.dataplaneImage" -}}
{{- $own := .Values.dataplane.image -}}
{{- $image := ternary $own .Values.image (ne $own.repository "") -}}
{{- include "gatewright.image" (dict "image" $image "version" .Chart.AppVersion) -}}
{{- end -}}
