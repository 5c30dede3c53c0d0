/** So many backends may stand by for others. Source: BackendPolicy.spec.failover.backendRefs. */
export const mostStandby = 4;
