/** `failing`: something that a user wrote is not served. `warning`: it is served, and a person should look at it. */
export type Severity = 'failing' | 'warning';

/** What a problem is about; the words of the chatbot's tool. */
export const problemAreas = [
  'traffic',
  'backend',
  'listener',
  'data plane',
  'file',
  'gateway',
  'route',
  'certificate',
  'object',
  'control plane',
] as const;

export type ProblemArea = (typeof problemAreas)[number];

export interface ProblemRow {
  readonly severity: Severity;
  readonly area: ProblemArea;
  readonly meaning: string;
  readonly remedy: string;
}

/** Everything that can be wrong with what runs, by its stable code; the worst for users first, and lists have this order. */
export const problemCodes = {
  snapshot_missing: {
    severity: 'failing',
    area: 'control plane',
    meaning: 'No snapshot has been built yet, so proxies get no configuration.',
    remedy: 'Wait for the readiness endpoint. If it stays so, read the log of the control plane.',
  },
  traffic_failing: {
    severity: 'failing',
    area: 'traffic',
    meaning: 'Requests of the last minutes fail.',
    remedy:
      'Read the log of the backend at the time of the requests. If the message names a flag, ask `gatewright explain FLAG`.',
  },
  backend_without_endpoints: {
    severity: 'failing',
    area: 'backend',
    meaning: 'A backend of a route has no ready endpoint; its requests are answered 503.',
    remedy: 'Compare the selector of the Service with the labels of the pods, and see whether the pods are ready.',
  },
  backend_unusable: {
    severity: 'failing',
    area: 'backend',
    meaning: 'The name or address of a backend may not be used, or leads nowhere.',
    remedy: 'Correct what the message names.',
  },
  listener_failed: {
    severity: 'failing',
    area: 'listener',
    meaning: 'A listener is not served.',
    remedy: 'Correct what its conditions name.',
  },
  listener_degraded: {
    severity: 'warning',
    area: 'listener',
    meaning: 'A listener is served, with something missing.',
    remedy: 'Correct what its conditions name.',
  },
  gateway_failed: {
    severity: 'failing',
    area: 'gateway',
    meaning: 'A Gateway is not accepted or not programmed.',
    remedy: 'Correct what its conditions name.',
  },
  gateway_class_unknown: {
    severity: 'failing',
    area: 'gateway',
    meaning: 'A Gateway names a class that no controller serves, so no proxy serves the Gateway.',
    remedy: 'Correct `gatewayClassName`, or create the GatewayClass with a `controllerName` that is installed.',
  },
  node_rejected: {
    severity: 'failing',
    area: 'data plane',
    meaning: 'A proxy rejects a part of its configuration and serves the former version of it.',
    remedy: 'Change the object that the message names; `gatewright nodes` shows what is rejected.',
  },
  file_rejected: {
    severity: 'failing',
    area: 'file',
    meaning: 'A file, or an object in it, is not valid. The former version is served if there was one.',
    remedy: 'Correct the place that the message names by file, line and column; it is read again when it is saved.',
  },
  route_not_accepted: {
    severity: 'failing',
    area: 'route',
    meaning: 'A route is not served at one of its parents.',
    remedy: 'Correct what its conditions name.',
  },
  parent_unknown: {
    severity: 'failing',
    area: 'route',
    meaning: 'A route names a parent that does not exist, so no proxy serves it there.',
    remedy: 'Correct `parentRefs`, or create the parent.',
  },
  object_unresolved: {
    severity: 'failing',
    area: 'object',
    meaning:
      'An exception in the control plane keeps it from resolving an object. Nothing of the object is served, or its requests get an error; all others are served.',
    remedy:
      'Read the exception in the log of the control plane, and report it. Any change of the object is tried again.',
  },
  object_not_accepted: {
    severity: 'failing',
    area: 'object',
    meaning: 'A policy, class, set of listeners or another object has no effect, or not all of it.',
    remedy: 'Correct what its conditions name.',
  },
  object_degraded: {
    severity: 'warning',
    area: 'object',
    meaning: 'A policy is in force, and a next change of it would fail requests.',
    remedy: 'Do what the message says before you change the policy.',
  },
  ingress_not_served: {
    severity: 'failing',
    area: 'route',
    meaning:
      'An Ingress of a class of this control plane is not served: its requests are answered with an error, or go elsewhere.',
    remedy: 'Follow the message. Annotations that protect are never left out without closing the Ingress.',
  },
  ingress_degraded: {
    severity: 'warning',
    area: 'route',
    meaning: 'Some paths or annotations of an Ingress are not served as they are written.',
    remedy: 'Follow the message. `gatewright migrate explain ANNOTATION` says what an annotation becomes.',
  },
  route_degraded: {
    severity: 'warning',
    area: 'route',
    meaning:
      'A route is served in part: rules were dropped, or references do not resolve. It is `failing` if no rule of the route has a backend that can answer.',
    remedy: 'Correct what its conditions name.',
  },
  rule_without_backend: {
    severity: 'failing',
    area: 'route',
    meaning:
      'A rule is valid and sends requests to no backend, so all of them are answered with an error (500, for gRPC UNAVAILABLE). It is a `warning` if other rules of the route answer.',
    remedy: 'Give the rule `backendRefs` of which one has a weight above 0, or a RequestRedirect, or remove the rule.',
  },
  match_shadowed: {
    severity: 'warning',
    area: 'route',
    meaning:
      'Two routes have exactly the same match on the same host. The older one gets all requests; of two that are as old, the one whose namespace and name come first.',
    remedy:
      'Change the match or the hostnames of one of the two, or remove the rule from the one that should not get the requests.',
  },
  ai_service_without_credential: {
    severity: 'warning',
    area: 'backend',
    meaning:
      'An AIService of a provider that asks for a credential has no `auth`. Its requests are rejected, unless clients send a credential of their own.',
    remedy:
      'Name a Secret in `auth.secretRef`. If the server needs no credential, make its provider `custom`. If clients send their own, do nothing.',
  },
  certificate_expired: {
    severity: 'failing',
    area: 'certificate',
    meaning:
      'A certificate that is served has ended, and clients reject it; or an authority has, and what it signed is rejected.',
    remedy:
      'Renew it and write it to the Secret, ConfigMap or ClusterTrustBundle that holds it; proxies take it without a restart.',
  },
  revocation_list_ended: {
    severity: 'failing',
    area: 'certificate',
    meaning:
      'A list of revoked certificates has ended. Proxies verify no certificate of its authority any more, so its clients do not come in.',
    remedy:
      'Make a new list (`openssl ca -gencrl`), and write it to the entry `ca.crl` that `tls.crlRef` names; proxies take it without a restart.',
  },
  certificate_missing: {
    severity: 'failing',
    area: 'certificate',
    meaning: 'A listener names a Secret that does not exist.',
    remedy: 'Create the Secret (type kubernetes.io/tls), or correct `certificateRefs`.',
  },
  certificate_unusable: {
    severity: 'failing',
    area: 'certificate',
    meaning: 'A Secret exists, but its certificate cannot be used, or may not be used from there.',
    remedy:
      'See the conditions of the listener: PEM in tls.crt and tls.key that belong together, and a ReferenceGrant.',
  },
  certificate_not_yet_valid: {
    severity: 'failing',
    area: 'certificate',
    meaning: 'A certificate that is served, or an authority, is not valid yet; it is rejected.',
    remedy: 'Wait, use another certificate, or check the clock of its issuer.',
  },
  revocation_list_ending: {
    severity: 'warning',
    area: 'certificate',
    meaning:
      'Less than a quarter is left of the lifetime of a list of revoked certificates. From its end on, clients with a certificate of its authority do not come in.',
    remedy:
      'Make a new list (`openssl ca -gencrl`), and write it to the entry `ca.crl` that `tls.crlRef` names. See why it was not renewed by itself.',
  },
  certificate_expiring: {
    severity: 'warning',
    area: 'certificate',
    meaning: 'A certificate that is served ends within 30 days, or an authority that others are checked by does.',
    remedy:
      'Renew it and write it to the Secret, ConfigMap or ClusterTrustBundle that holds it; proxies take it without a restart.',
  },
  gateway_unknown: {
    severity: 'warning',
    area: 'data plane',
    meaning: 'A proxy waits for a Gateway that does not exist.',
    remedy: 'Correct the cluster that the proxy names, or create the Gateway.',
  },
  node_lost: {
    severity: 'warning',
    area: 'data plane',
    meaning:
      'A proxy is lost: its connection ended without a goodbye. It is listed for ten minutes, or until its pod or its Gateway is gone.',
    remedy:
      'See whether it still runs, why it ended (`kubectl describe pod`), and whether it reaches the control plane. If you stopped it for good, do nothing.',
  },
  node_not_current: {
    severity: 'warning',
    area: 'data plane',
    meaning: 'A proxy does not have the newest configuration, or is not ready.',
    remedy:
      'Wait some seconds. If it stays so, read the log of the proxy, and see whether it reaches the control plane.',
  },
  file_ignored: {
    severity: 'warning',
    area: 'file',
    meaning: 'Something in a file is not read.',
    remedy: 'Remove it, or correct its kind and apiVersion.',
  },
  namespace_unreadable: {
    severity: 'warning',
    area: 'control plane',
    meaning: 'A namespace should be read and cannot; what is known of it is old.',
    remedy: 'Give the control plane its rights there, or remove the namespace from the configuration.',
  },
  limit_store_away: {
    severity: 'warning',
    area: 'control plane',
    meaning: 'Valkey, which keeps shared rate limits, does not answer. Requests go by `onFailure` of their policies.',
    remedy: 'Change what the message names; see whether it runs, and whether the control plane reaches it.',
  },
  usage_store_away: {
    severity: 'warning',
    area: 'control plane',
    meaning: 'PostgreSQL, which keeps usage of AI services, does not answer. Agents keep usage until it does.',
    remedy: 'Change what the message names; see whether it runs, and whether the control plane reaches it.',
  },
  replica_unreachable: {
    severity: 'warning',
    area: 'control plane',
    meaning: 'Another control plane replica does not answer, so what it knows of its proxies may be old.',
    remedy: 'See whether its pod runs, and whether a network policy lets replicas reach each other.',
  },
  replicas_disagree: {
    severity: 'warning',
    area: 'control plane',
    meaning: 'Replicas have different snapshots for longer than a change takes.',
    remedy: 'Compare their versions and configuration; restart the one that is behind.',
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

export type ProblemCode = keyof typeof problemCodes;
