import type * as admin from '../../admin/index.ts';

/** What the admin API answers, as its schemas have it. */
export interface Wire {
  readonly summary: admin.Summary;
  readonly problems: admin.ProblemsRecord;
  readonly infrastructure: admin.InfrastructureRecord;
  readonly sync: admin.SnapshotSync;
  readonly node: admin.NodeRecord;
  readonly offeredAgain: admin.OfferedAgainRecord;
  readonly route: admin.RouteRecord;
  readonly ingress: admin.IngressRecord;
  readonly listener: admin.ListenerRecord;
  readonly backend: admin.BackendRecord;
  readonly gateway: admin.GatewayRecord;
  readonly certificate: admin.CertificateRecord;
  readonly service: admin.ServiceRecord;
  readonly picks: admin.PicksRecord;
  readonly routeTest: admin.RouteTestRecord;
  readonly accessEntry: admin.AccessEntry;
  readonly trafficPolicyEntry: admin.TrafficPolicyEntry;
  readonly rateLimitPolicyEntry: admin.RateLimitPolicyEntry;
  readonly envoySnapshot: admin.EnvoySnapshotRecord;
  readonly diff: admin.DiffRecord;
  readonly resource: admin.ResourceRecord;
  readonly dataPlaneSummary: admin.DataPlaneSummary;
  /** Further fields are those of the event's type. */
  readonly event: { readonly type: string; readonly at: string } & Readonly<Record<string, unknown>>;
}
