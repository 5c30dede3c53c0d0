/** Something an operator should look at. Codes are stable. */
export interface Warning {
  readonly code:
    | 'snapshot_missing'
    | 'node_rejected'
    | 'gateway_unknown'
    | 'certificate_expiring'
    | 'listener_failed'
    | 'route_not_accepted'
    | 'route_degraded'
    | 'replica_unreachable'
    | 'replicas_disagree'
    | 'namespace_unreadable';
  readonly message: string;
}
