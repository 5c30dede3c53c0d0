{{/*
The key that makes sticky sessions unforgeable. All there is about it is in this file: which Secret has it, and what the
configuration says of it. Proxies mount it, each from the namespace of its Gateway; the control plane never reads it.
*/}}
{{- define "gatewright.sessionPersistence.secret" -}}
{{- $values := .Values.dataplane.session_persistence -}}
{{- if $values.existing_secret -}}
{{- $values.existing_secret -}}
{{- else if $values.shared_secret -}}
{{- include "gatewright.fullname" . }}-session-persistence
{{- end -}}
{{- end -}}

{{- define "gatewright.sessionPersistence.config" -}}
{{- with include "gatewright.sessionPersistence.secret" . }}
infrastructure:
  sessionPersistence:
    existingSecret: {{ . }}
{{- else -}}
{}
{{- end }}
{{- end -}}
