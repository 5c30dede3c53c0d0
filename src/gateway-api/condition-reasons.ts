/**
 * Reasons of the conditions that Gatewright writes, for an operator who sees one at night. The condition's message says what
 * exactly is wrong; this says what such a fault means. Source: the Gateway API's condition reasons.
 */
export const conditionReasons: Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>> = {
  Accepted: { meaning: 'The object is valid and in use.', remedy: 'Nothing to do.' },
  Programmed: { meaning: 'A data plane has applied it.', remedy: 'Nothing to do.' },
  ResolvedRefs: { meaning: 'Everything the object refers to is there and may be used.', remedy: 'Nothing to do.' },
  NoConflicts: { meaning: 'No other listener claims the same port and hostname.', remedy: 'Nothing to do.' },
  SupportedVersion: { meaning: 'The installed Gateway API CRDs are of a version we know.', remedy: 'Nothing to do.' },
  Pending: {
    meaning: 'No data plane of the Gateway has applied its listeners yet.',
    remedy:
      'Wait some seconds; then see whether its pods run (`gatewright nodes`, `kubectl get pods` in its namespace).',
  },
  Invalid: {
    meaning: 'Something in the object, or what proxies said of it, cannot be configured.',
    remedy: 'Change what the message names; the rest of the Gateway is served meanwhile.',
  },
  InvalidExtensionRef: {
    meaning: 'The endpoint picker of an InferencePool cannot be found, so its requests are answered 503.',
    remedy: 'Name a core Service of the same namespace, and one of its ports, in `endpointPickerRef`.',
  },
  HostnameNotAllowed: {
    meaning: 'The host is an address or a name that no user may lead requests to, such as loopback or metadata.',
    remedy:
      'Name a host outside, or a Service in backendRefs; the operator opens addresses with `backends.allowedAddresses`.',
  },
  InvalidParameters: {
    meaning: 'What `parametersRef` points at is missing, of another kind, or rejected.',
    remedy: 'Create it, or correct or remove `parametersRef`.',
  },
  AddressNotAssigned: {
    meaning: 'The Gateway has no address yet, or not the one it asks for.',
    remedy:
      'See whether its Service has one; a LoadBalancer Service needs a load balancer implementation in the cluster.',
  },
  AddressNotUsable: {
    meaning: 'A requested address is not one that this Gateway can have.',
    remedy: 'Ask for another address in `spec.addresses`, or for none.',
  },
  UnsupportedAddress: {
    meaning: 'A requested address is of a type that is not supported.',
    remedy: 'Use type IPAddress or Hostname.',
  },
  AddressesAssigned: { meaning: 'The Gateway has each address that it asks for.', remedy: 'Nothing to do.' },
  PartiallyAssigned: {
    meaning: 'The Gateway has some of the addresses that it asks for, and is reached there.',
    remedy: 'See the message of its condition Programmed; ask for other addresses, or for fewer.',
  },
  NotAssigned: {
    meaning: 'The Gateway has none of the addresses that it asks for.',
    remedy: 'See the message of its condition Programmed; ask for other addresses, or for none.',
  },
  ListenersNotValid: {
    meaning: 'At least one listener has a problem; the others are served.',
    remedy: 'See the conditions of the listener that the message names.',
  },
  ListenersNotReady: {
    meaning: 'No listener can be served yet.',
    remedy: 'See the conditions of the listeners.',
  },
  PortUnavailable: {
    meaning: 'The proxies of another Gateway on this machine have the port of the listener.',
    remedy: 'Give one of the two Gateways another port, or another address in `spec.addresses`.',
  },
  Conflicted: {
    meaning: 'An older listener has the port and hostname, or an older policy of this kind has the target.',
    remedy: 'Change or remove one of the two.',
  },
  HostnameConflict: {
    meaning: 'Another listener of the same port has the same hostname, and came first.',
    remedy: 'Change port or hostname of one of the two.',
  },
  ProtocolConflict: {
    meaning: 'Another listener of the same port speaks a protocol that cannot share it, and came first.',
    remedy: 'Give one of the two another port.',
  },
  OverlappingHostnames: {
    meaning:
      'Listeners with TLS on one port stand for some of the same hosts: HTTP/2 clients may reuse connections across.',
    remedy:
      'Expect 421 for such requests, which clients repeat on a connection of their own; or use names that do not overlap.',
  },
  UnsupportedProtocol: {
    meaning: 'The protocol is none we know, or not for this kind of listener or backend.',
    remedy: 'Use HTTP, HTTPS, TLS, TCP or UDP; for appProtocol what the message lists.',
  },
  InvalidRouteKinds: {
    meaning: 'The listener allows a kind of route that its protocol cannot carry.',
    remedy: 'Correct `allowedRoutes.kinds`; `supportedKinds` in its status says what it can.',
  },
  InvalidCertificateRef: {
    meaning: 'A certificate of the listener is missing, malformed, or its key does not belong to it.',
    remedy: 'Correct the Secret that the message names (type kubernetes.io/tls, PEM in tls.crt and tls.key).',
  },
  InvalidCACertificateRef: {
    meaning: 'What a policy or listener names as trusted authorities is missing or holds no certificate.',
    remedy: 'Put PEM certificates into `ca.crt` of the ConfigMap that the message names.',
  },
  InvalidCACertificateKind: {
    meaning: 'Trusted authorities are referred to as a kind that cannot hold them.',
    remedy: 'Refer to a ConfigMap with `ca.crt`.',
  },
  NoValidCACertificate: {
    meaning: 'None of the referenced certificate authorities can be used, so no client would be trusted.',
    remedy: 'Correct at least one of the references that the message names.',
  },
  InvalidClientCertificateRef: {
    meaning: 'The certificate that proxies show to backends is missing or cannot be used.',
    remedy: 'Correct the Secret, or the ReferenceGrant for it.',
  },
  RefNotPermitted: {
    meaning: 'A reference leads into another namespace, which does not allow it.',
    remedy: 'Create a ReferenceGrant in the namespace of what is referred to.',
  },
  InvalidKind: {
    meaning: 'A reference is to a kind that cannot stand there.',
    remedy: 'Refer to a Service (or what the message lists).',
  },
  BackendNotFound: {
    meaning: 'A backend, or its port, does not exist; its share of the requests is answered 500.',
    remedy: 'Create the Service, or correct name and port.',
  },
  InvalidCredentialRef: {
    meaning: 'The Secret with the credential of an AIService is missing or cannot be used.',
    remedy: 'Correct the Secret that the message names.',
  },
  FilterNotFound: {
    meaning: 'A rule names an HTTPFilter that does not exist in its namespace; requests of the rule are answered 500.',
    remedy: 'Create the HTTPFilter, or correct its name.',
  },
  FallbackNotFound: {
    meaning: 'An AIService names a fallback that does not exist; the other services are asked.',
    remedy: 'Create the AIService, or correct its name.',
  },
  UnsupportedValue: {
    meaning: 'A value is valid for the Gateway API, and not something we can do.',
    remedy: 'Change what the message names; other rules of the object are served.',
  },
  IncompatibleFilters: {
    meaning: 'Two filters of a rule contradict each other.',
    remedy: 'Remove one of them.',
  },
  InternalError: {
    meaning:
      'An exception in the control plane keeps it from resolving the object. Nothing of it is served, or its requests get an error.',
    remedy:
      'Read the exception in the log of the control plane, and report it. Any change of the object is tried again.',
  },
  NoMatchingParent: {
    meaning: 'The parentRef fits no listener of the Gateway: its sectionName or port is none of theirs.',
    remedy: 'Correct `sectionName` or `port`, or leave them out for all listeners.',
  },
  NoMatchingListenerHostname: {
    meaning: 'No hostname of the route is one of those the listener is for.',
    remedy: 'Change the hostnames of the route or of the listener.',
  },
  NotAllowedByListeners: {
    meaning: 'No listener takes routes of this kind from this namespace.',
    remedy: 'Change `allowedRoutes` of the listener, name a listener of the protocol of the route, or move the route.',
  },
  NotAllowed: {
    meaning: 'The Gateway does not take ListenerSets from this namespace.',
    remedy: 'Change `allowedListeners` of the Gateway.',
  },
  ParentNotAccepted: {
    meaning: 'The Gateway of the ListenerSet is not accepted itself.',
    remedy: 'See the conditions of the Gateway.',
  },
  TargetNotFound: {
    meaning: 'What the policy is for does not exist, or is of a kind that policies cannot be for.',
    remedy: 'Correct `targetRefs`.',
  },
  PolicyAffected: {
    meaning: 'Policies of the kind that the condition names act on this object; the message names them.',
    remedy: 'None is needed. `gatewright describe` says which parts of them are in force.',
  },
  Overridden: {
    meaning:
      'Another policy rules some of what this one says: one of an upper level with `mode: Override`, or an older one of the target.',
    remedy: 'The message names the groups and who rules them. Change either policy, if that is not meant.',
  },
  OverrideNotAllowed: {
    meaning: 'An AccessPolicy switches off a part that a policy of an upper level keeps in force.',
    remedy: 'List the part in `overridable` of the policy of the upper level, or remove it from `overrides`.',
  },
  CertificatesNotRequested: {
    meaning:
      'An AccessPolicy demands client certificates at listeners of which some ask clients for none: these answer 403.',
    remedy: 'Have HTTPS listeners ask by `spec.tls.frontend` of the Gateway, or name one listener in `sectionName`.',
  },
  InvalidCRLRef: {
    meaning:
      'The lists of revoked certificates that a ListenerPolicy names are missing or unreadable; no client comes in at its listeners that ask for certificates.',
    remedy: 'Put the lists in PEM into the entry `ca.crl` of what `spec.tls.crlRef` names.',
  },
  SecretNotFound: {
    meaning: 'A Secret that an AccessPolicy names does not exist; the targets of the policy are answered 500.',
    remedy: 'Create the Secret, or correct its name.',
  },
  InvalidSecret: {
    meaning: 'A Secret of an AccessPolicy has keys or users that cannot be used; the good ones of them can come in.',
    remedy: 'Correct what the message names. If no key or user is left, the targets of the policy are answered 500.',
  },
  ConfigMapNotFound: {
    meaning:
      'A ConfigMap that a policy or HTTPFilter names does not exist; the targets of the policy, or rules with the filter, are answered 500 (ExtensionPolicy: 503). Without the page of a TrafficPolicy, errors stay as they are.',
    remedy: 'Create the ConfigMap, or correct its name.',
  },
  InvalidConfigMap: {
    meaning:
      'A ConfigMap has not what it is named for: keys (AccessPolicy), a body (HTTPFilter) or a module that proxies run (ExtensionPolicy). The targets of the policy, or rules with the filter, are answered 500 (ExtensionPolicy: 503).',
    remedy: 'Put a JSON Web Key Set with public keys there, or the body or module that the message names.',
  },
  ImageNotPulled: {
    meaning:
      'The image that an ExtensionPolicy names is not pulled yet, or cannot be, or has no module that proxies run; the targets of the policy are answered 503, unless it may be missing.',
    remedy:
      'See why in the message: the registry, its certificate, the credentials, or an address that is not called. It is tried again by itself.',
  },
  FileNotRead: {
    meaning:
      'The file that an ExtensionPolicy names is not in the directory of the control plane, or has no module that proxies run; the targets of the policy are answered 503, unless it may be missing.',
    remedy:
      'Have the operator put the module there (`extensions.wasmDirectory`), or name another file. It is looked for again every five seconds.',
  },
  KeysNotFetched: {
    meaning:
      'Keys that an AccessPolicy verifies tokens by were never fetched; the targets of the policy are answered 503.',
    remedy:
      'See why in the message: the server, its certificate, or an address that is not called. It is tried again by itself.',
  },
  KeysStale: {
    meaning: 'Keys of an AccessPolicy cannot be fetched any more; the last ones stay in force.',
    remedy: 'See why in the message. A key that the provider has withdrawn meanwhile is still taken.',
  },
  DiscoveryFailed: {
    meaning:
      'The discovery document of an issuer cannot be fetched, or is not its own; the targets of the policy are answered 503.',
    remedy: 'Compare `issuer` with the one in ISSUER/.well-known/openid-configuration, to the letter.',
  },
  LoginKeyMissing: {
    meaning:
      'The key that all logins of AccessPolicies depend on is not there; the targets of policies with `oidc` are answered 503.',
    remedy:
      'The leading replica makes it in the Secret gatewright-login-key of its own namespace. See its log, and its rights in rbac/control-plane.yaml.',
  },
  RepeatedOnRoutes: {
    meaning:
      'AccessPolicies of one namespace have the same part for more than 64 routes and rules. They are in force, and proxies keep the part for each route and rule.',
    remedy:
      'Demand it once, by a policy of the Gateway, the ListenerSet or the listener. `overrides` of a route switches it off where the upper policy lists it in `overridable`.',
  },
  DatabaseUnusable: {
    meaning:
      'Proxies cannot use a database of locations or networks: its file is missing or broken. They keep to the one they had. Without one, rules by location let in no request that they are for.',
    remedy: 'Put a whole file where the message says. Proxies look for it every ten seconds, and need no restart.',
  },
  Validating: {
    meaning:
      'Each proxy of the Gateway has a second Envoy try the patch, which serves nothing. The patch is served when that one takes it.',
    remedy: 'Wait some seconds. If it stays, the log of the proxy says what its agent tries.',
  },
  NotValidated: {
    meaning:
      'No proxy of the Gateway could try the patch before serving it: an Envoy without an agent, an older agent, or too little memory. The message says which. The patch is served all the same.',
    remedy: 'Give proxies an agent of this version and 100 MiB of free memory.',
  },
  NoRoomToMove: {
    meaning:
      'Policies of Gateways, ListenerSets and listeners at one port all have a part for which requests wait, such as forwardAuth. They are in force. Proxies have no place for one more.',
    remedy:
      'Before you move that part between these levels and a route, remove it from one of the three levels. Else its requests are answered 500 until proxies have the whole change.',
  },
  LoginNeedsHTTPS: {
    meaning:
      'An AccessPolicy has browsers log in at listeners of which some are not of protocol HTTPS: these answer 401.',
    remedy:
      'Redirect HTTP to HTTPS by a route of those listeners without the policy, or name one listener in `sectionName`.',
  },
  VerificationDisabled: {
    meaning: 'Proxies accept any certificate of the backend, as a BackendPolicy asks for.',
    remedy:
      'Set `tls.verification` to Pinned with its hashes, or to Full with its authorities in the BackendTLSPolicy.',
  },
  ConfigurationChanged: {
    meaning: 'Clients without a valid certificate are let in, as the Gateway asks for.',
    remedy: 'Nothing to do if that is meant; else set mode AllowValidOnly.',
  },
};
