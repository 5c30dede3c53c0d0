{{/*
The configuration file, as YAML: files/config.yaml, which the manifests have too, with the names of this release; over it
what values say in their own words; over it `config`, which is free.
*/}}
{{- define "gatewright.config" -}}
{{- $fullname := include "gatewright.fullname" . -}}
{{- $services := printf "%s${1}.%s.svc" $fullname .Release.Namespace -}}
{{- $base := regexReplaceAll "gatewright(-[a-z]+)?\\.gatewright-system\\.svc" (.Files.Get "files/config.yaml") $services | fromYaml -}}
{{- $values := dict
  "infrastructure" (dict "serviceType" .Values.dataplane.serviceType "replicas" .Values.dataplane.replicas "networkPolicy" (include "gatewright.proxyPolicy" . | fromYaml))
  "state" (dict "secret" (printf "%s-settings" $fullname))
  "leaderElection" (dict "id" (printf "%s-leader" $fullname)) -}}
{{- $page := ternary dict (dict "dashboard" .Values.dashboard) (and .Values.dashboard.enabled .Values.dashboard.readOnly) -}}
{{- $scope := include "gatewright.scope.config" . | fromYaml -}}
{{- $adminAuth := include "gatewright.adminAuth.config" . | fromYaml -}}
{{- $kept := include "gatewright.persistence.config" . | fromYaml -}}
{{- $sessions := include "gatewright.sessionPersistence.config" . | fromYaml -}}
{{- $_ := unset $base "adminAuth" -}}
{{- mergeOverwrite $base $values $page $scope $adminAuth $kept $sessions (deepCopy .Values.config) | toYaml -}}
{{- end -}}

{{/* What limits the install. */}}
{{- define "gatewright.scope.config" -}}
{{- $source := ternary (dict "kubernetes" (dict "namespaces" .Values.scope.namespaces)) dict (gt (len .Values.scope.namespaces) 0) -}}
{{- $infrastructure := ternary (dict "namespace" .Values.infrastructure.namespace) dict (ne .Values.infrastructure.namespace "") -}}
{{- dict "source" $source "infrastructure" $infrastructure | toYaml -}}
{{- end -}}

{{/* Who may reach proxies: metrics are on their agents' port, which is open to all namespaces where Prometheus is only known to look. */}}
{{- define "gatewright.proxyPolicy" -}}
{{- $from := .Values.networkPolicy.metricsFrom -}}
{{- if and (not $from) .Values.metrics.podMonitor.enabled -}}
{{- $from = list (dict "namespaceSelector" dict) -}}
{{- end -}}
{{- dict "enabled" .Values.networkPolicy.enabled "metricsFrom" $from | toYaml -}}
{{- end -}}

{{/* Changes with what only a restart brings into effect. `log.level` applies at once. */}}
{{- define "gatewright.configChecksum" -}}
{{- $config := include "gatewright.config" . | fromYaml -}}
{{- $log := omit (default dict $config.log) "level" -}}
{{- dict "log" $log "rest" (omit $config "log") | toJson | sha256sum -}}
{{- end -}}

{{- define "gatewright.adminAuth.directory" -}}/etc/gatewright-admin{{- end -}}

{{/*
Tokens of a given Secret are read from files, which follow it without a restart; else the control plane makes a Secret, unless
the API is to be open or `config` has a token of its own.
*/}}
{{- define "gatewright.adminAuth.config" -}}
{{- $own := default dict (default dict .Values.config).adminAuth -}}
{{- $given := pick $own "bearerToken" "bearer_token" "bearerTokenFile" "bearer_token_file" "tokenSecret" -}}
{{- if and .Values.adminAuth.open .Values.adminAuth.existingSecret -}}
{{- fail "adminAuth.open and adminAuth.existingSecret: remove one of the two" -}}
{{- end -}}
adminAuth:
  {{- if .Values.adminAuth.kubernetes.enabled }}
  kubernetes: {{ .Values.adminAuth.kubernetes | toJson }}
  {{- end }}
  {{- if .Values.adminAuth.open }}
  open: true
  {{- else if .Values.adminAuth.existingSecret }}
  bearerTokenFile: {{ include "gatewright.adminAuth.directory" . }}/token
  {{- if .Values.adminAuth.readOnlyKey }}
  readOnlyBearerTokenFile: {{ include "gatewright.adminAuth.directory" . }}/read-only-token
  {{- end }}
  {{- else if or $given $own.open }}
  {{- else }}
  tokenSecret: {{ include "gatewright.fullname" . }}-admin-token
  {{- end }}
{{- end -}}

{{/* The Secret that the control plane makes for its tokens; empty where it makes none. */}}
{{- define "gatewright.adminAuth.tokenSecret" -}}
{{- $config := include "gatewright.config" . | fromYaml -}}
{{- dig "adminAuth" "tokenSecret" "" $config -}}
{{- end -}}

{{/* What pods are kept by: volumes of their own need names that stay. */}}
{{- define "gatewright.workload" -}}
{{- with .Values.persistence -}}
{{- if and .enabled .existingClaim (gt (int $.Values.replicas) 1) -}}
{{- fail (printf "persistence.existingClaim is one volume, and replicas is %d: each replica needs a volume of its own. Leave existingClaim out, or set replicas to 1" (int $.Values.replicas)) -}}
{{- end -}}
{{- ternary "StatefulSet" "Deployment" .enabled -}}
{{- end -}}
{{- end -}}

{{- define "gatewright.persistence.directory" -}}/var/lib/gatewright{{- end -}}

{{- define "gatewright.persistence.config" -}}
{{- if .Values.persistence.enabled }}
state:
  directory: {{ include "gatewright.persistence.directory" . }}
{{- else -}}
{}
{{- end }}
{{- end -}}
