{{/*
Where a role is needed, as `places`: namespaces, or "" for the whole cluster. By what the configuration limits the install to.
Takes (dict "role" … "config" … "release" …).
*/}}
{{- define "gatewright.places" -}}
{{- $read := dig "source" "kubernetes" "namespaces" (list) .config -}}
{{- $proxies := dig "infrastructure" "namespace" "" .config -}}
{{- $places := list "" -}}
{{- if eq .role.suffix "" -}}
{{- /* The lease and the secrets of our own are where the configuration says. */ -}}
{{- $places = list .release (dig "leaderElection" "namespace" "" .config) (dig "xds" "tls" "namespace" "" .config) | compact | uniq -}}
{{- else if eq .role.suffix "-admin-token" -}}
{{- $places = list (default .release (dig "leaderElection" "namespace" "" .config)) -}}
{{- else if eq .role.suffix "-admin-connect" -}}
{{- $places = list .release -}}
{{- else if and (eq .role.suffix "-infrastructure-writer") $proxies -}}
{{- $places = list $proxies -}}
{{- else if and (eq .role.suffix "-infrastructure-writer") $read -}}
{{- /* Proxies that the Gateways of a class share run beside the control plane. */ -}}
{{- $places = append $read .release | uniq -}}
{{- else if and $read (not (has .role.suffix (list "-cluster" "-ingress-classes"))) (not .role.forPeople) -}}
{{- $places = $read -}}
{{- end -}}
{{- dict "places" $places | toYaml -}}
{{- end -}}

{{/* The rules of a role with the names of this release, and limited to objects where only some are needed. */}}
{{- define "gatewright.rules" -}}
{{- $read := dig "source" "kubernetes" "namespaces" (list) .config -}}
{{- $rules := list -}}
{{- range $rule := .rules -}}
{{- if and $read (has "namespaces" $rule.resources) -}}
{{- $rules = append $rules (merge (dict "resourceNames" $read) $rule) -}}
{{- else if and $read (has "gatewayclasses/status" $rule.resources) -}}
{{- $rules = append $rules (merge (dict "resourceNames" (list $.gatewayClass)) $rule) -}}
{{- else -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- $text := $rules | toYaml | replace "gatewright-leader" .config.leaderElection.id -}}
{{- $text = $text | replace "gatewright-xds-ca" (dig "xds" "tls" "authoritySecret" "gatewright-xds-ca" .config) -}}
{{- $text = $text | replace "gatewright-admin-token" (dig "adminAuth" "tokenSecret" (printf "%s-admin-token" .fullname) .config) -}}
{{- $text | replace "gatewright-settings" .config.state.secret -}}
{{- end -}}
