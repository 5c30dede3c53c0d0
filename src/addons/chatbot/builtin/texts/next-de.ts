import { conditionReasons } from '../../../../gateway-api/index.ts';
import { type ProblemCode, problemCodes } from '../../../../problems/index.ts';

/** Next steps of problems, by code. */
const ofCodes: Readonly<Record<ProblemCode, string>> = {
  snapshot_missing: 'Warte, bis die Readiness-Prüfung gelingt. Bleibt es so, lies das Log der Control Plane.',
  traffic_failing:
    'Lies das Log des Backends zur Zeit der Anfragen. Nennt die Meldung ein Flag, erklärt es `gatewright explain FLAG`.',
  backend_without_endpoints:
    'Vergleiche den Selector des Service mit den Labels der Pods, und prüfe, ob die Pods bereit sind.',
  backend_unusable: 'Korrigiere, was die Meldung nennt.',
  listener_failed: 'Korrigiere, was seine Conditions nennen.',
  listener_degraded: 'Korrigiere, was seine Conditions nennen.',
  gateway_failed: 'Korrigiere, was seine Conditions nennen.',
  gateway_class_unknown:
    'Korrigiere `gatewayClassName`, oder lege die GatewayClass mit einem installierten `controllerName` an.',
  node_rejected: 'Ändere das Objekt, das die Meldung nennt; `gatewright nodes` zeigt, was abgelehnt wird.',
  file_rejected:
    'Korrigiere die Stelle, die die Meldung mit Datei, Zeile und Spalte nennt; beim Speichern wird sie neu gelesen.',
  route_not_accepted: 'Korrigiere, was ihre Conditions nennen.',
  parent_unknown: 'Korrigiere `parentRefs`, oder lege das Parent an.',
  object_unresolved:
    'Lies die Exception im Log der Control Plane und melde sie. Jede Änderung des Objekts wird neu versucht.',
  object_not_accepted: 'Korrigiere, was seine Conditions nennen.',
  object_degraded: 'Folge der Meldung, bevor du die Policy änderst.',
  ingress_not_served:
    'Folge der Meldung. Annotationen, die schützen, werden nie weggelassen, ohne dass der Ingress geschlossen wird.',
  ingress_degraded: 'Folge der Meldung. `gatewright migrate explain ANNOTATION` sagt, was aus einer Annotation wird.',
  route_degraded: 'Korrigiere, was ihre Conditions nennen.',
  rule_without_backend:
    'Gib der Regel `backendRefs`, von denen eine ein Gewicht über 0 hat, oder ein RequestRedirect, oder entferne sie.',
  match_shadowed:
    'Ändere Match oder Hostnamen einer der beiden Routen, oder entferne die Regel aus der, die die Anfragen nicht bekommen soll.',
  ai_service_without_credential:
    'Nenne ein Secret in `auth.secretRef`. Braucht der Server keines, nimm den Provider `custom`. Schicken die Clients ihr eigenes, ist nichts zu tun.',
  revocation_list_ended:
    'Erzeuge eine neue Liste (`openssl ca -gencrl`) und schreibe sie in den Eintrag `ca.crl`, den `tls.crlRef` nennt; Proxys übernehmen sie ohne Neustart.',
  revocation_list_ending:
    'Erzeuge eine neue Liste (`openssl ca -gencrl`) und schreibe sie in den Eintrag `ca.crl`, den `tls.crlRef` nennt. Prüfe, warum sie nicht von selbst erneuert wurde.',
  certificate_expired: 'Erneuere es und schreibe es in das Secret; Proxys übernehmen es ohne Neustart.',
  certificate_missing: 'Lege das Secret an (Typ kubernetes.io/tls), oder korrigiere `certificateRefs`.',
  certificate_unusable:
    'Sieh die Conditions des Listeners an: PEM in tls.crt und tls.key, die zusammengehören, und ein ReferenceGrant.',
  certificate_not_yet_valid: 'Warte, nimm ein anderes Zertifikat, oder prüfe die Uhr des Ausstellers.',
  certificate_expiring: 'Erneuere es und schreibe es in das Secret; Proxys übernehmen es ohne Neustart.',
  gateway_unknown: 'Korrigiere das Cluster, das der Proxy nennt, oder lege das Gateway an.',
  node_lost:
    'Prüfe, ob er noch läuft, warum er endete (`kubectl describe pod`), und ob er die Control Plane erreicht. Hast du ihn absichtlich beendet, ist nichts zu tun.',
  node_not_current:
    'Warte einige Sekunden. Bleibt es so, lies das Log des Proxys, und prüfe, ob er die Control Plane erreicht.',
  file_ignored: 'Entferne es, oder korrigiere kind und apiVersion.',
  namespace_unreadable: 'Gib der Control Plane dort ihre Rechte, oder nimm den Namespace aus der Konfiguration.',
  limit_store_away: 'Ändere, was die Meldung nennt; prüfe, ob er läuft, und ob die Control Plane ihn erreicht.',
  usage_store_away: 'Ändere, was die Meldung nennt; prüfe, ob er läuft, und ob die Control Plane ihn erreicht.',
  replica_unreachable: 'Prüfe, ob ihr Pod läuft und ob eine NetworkPolicy die Repliken einander erreichen lässt.',
  replicas_disagree: 'Vergleiche Versionen und Konfiguration; starte die Replik neu, die zurückliegt.',
};

/** Next steps of reasons of conditions. */
const ofReasons: Readonly<Record<string, string>> = {
  Accepted: 'Nichts zu tun.',
  Pending:
    'Warte einige Sekunden; prüfe dann, ob seine Pods laufen (`gatewright nodes`, `kubectl get pods` in seinem Namespace).',
  Invalid: 'Ändere, was die Meldung nennt; der Rest des Gateways wird inzwischen bedient.',
  HostnameNotAllowed:
    'Nenne einen Host außerhalb, oder einen Service in backendRefs; der Betreiber öffnet Adressen mit `backends.allowedAddresses`.',
  InvalidParameters: 'Lege es an, oder korrigiere oder entferne `parametersRef`.',
  AddressNotAssigned:
    'Prüfe, ob sein Service eine hat; ein Service vom Typ LoadBalancer braucht eine Implementierung im Cluster.',
  AddressNotUsable: 'Verlange eine andere Adresse in `spec.addresses`, oder keine.',
  UnsupportedAddress: 'Nimm den Typ IPAddress oder Hostname.',
  AddressesAssigned: 'Nichts zu tun.',
  PartiallyAssigned: 'Lies die Meldung der Bedingung Programmed; verlange andere Adressen, oder weniger.',
  NotAssigned: 'Lies die Meldung der Bedingung Programmed; verlange andere Adressen, oder keine.',
  ListenersNotValid: 'Sieh die Conditions des Listeners an, den die Meldung nennt.',
  ListenersNotReady: 'Sieh die Conditions der Listener an.',
  Conflicted: 'Ändere eines der beiden.',
  HostnameConflict: 'Ändere Port oder Hostnamen von einem der beiden.',
  ProtocolConflict: 'Gib einem der beiden einen anderen Port.',
  OverlappingHostnames:
    'Rechne mit 421 für solche Anfragen, die Clients auf einer eigenen Verbindung wiederholen; oder nimm Namen, die sich nicht überschneiden.',
  UnsupportedProtocol: 'Nimm HTTP, HTTPS, TLS, TCP oder UDP; für appProtocol das, was die Meldung auflistet.',
  InvalidRouteKinds: 'Korrigiere `allowedRoutes.kinds`; `supportedKinds` im Status nennt, was geht.',
  InvalidCertificateRef:
    'Korrigiere das Secret, das die Meldung nennt (Typ kubernetes.io/tls, PEM in tls.crt und tls.key).',
  InvalidCACertificateRef: 'Schreibe PEM-Zertifikate in `ca.crt` der ConfigMap, die die Meldung nennt.',
  InvalidCACertificateKind: 'Verweise auf eine ConfigMap mit `ca.crt`.',
  NoValidCACertificate: 'Korrigiere mindestens einen der Verweise, die die Meldung nennt.',
  InvalidClientCertificateRef: 'Korrigiere das Secret, oder den ReferenceGrant dafür.',
  RefNotPermitted: 'Lege einen ReferenceGrant im Namespace dessen an, worauf verwiesen wird.',
  InvalidKind: 'Verweise auf einen Service (oder was die Meldung auflistet).',
  BackendNotFound: 'Lege den Service an, oder korrigiere Name und Port.',
  InvalidCredentialRef: 'Korrigiere das Secret, das die Meldung nennt.',
  FallbackNotFound: 'Lege den AIService an, oder korrigiere seinen Namen.',
  UnsupportedValue: 'Ändere, was die Meldung nennt; andere Regeln des Objekts werden bedient.',
  IncompatibleFilters: 'Entferne einen der beiden.',
  InternalError:
    'Lies die Exception im Log der Control Plane und melde sie. Jede Änderung des Objekts wird neu versucht.',
  NoMatchingParent: 'Korrigiere `sectionName` oder `port`, oder lass sie für alle Listener weg.',
  NoMatchingListenerHostname: 'Ändere die Hostnamen der Route oder des Listeners.',
  NotAllowedByListeners:
    'Ändere `allowedRoutes` des Listeners, nenne einen Listener mit dem Protokoll der Route, oder verschiebe die Route.',
  NotAllowed: 'Ändere `allowedListeners` des Gateways.',
  ParentNotAccepted: 'Sieh die Conditions des Gateways an.',
  TargetNotFound: 'Korrigiere `targetRefs`.',
  ConfigurationChanged: 'Nichts zu tun, wenn das gewollt ist; sonst setze den Modus AllowValidOnly.',
};

const german: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ofReasons).flatMap(([reason, text]) => {
    const known = conditionReasons[reason];
    return known === undefined ? [] : [[known.remedy, text] as const];
  }),
  ...Object.entries(problemCodes).map(([code, { remedy }]) => [remedy, ofCodes[code as ProblemCode]] as const),
]);

/** A next step of the project's tables in German; any other as it is. */
export const nextInGerman = (text: string): string => german.get(text) ?? text;
