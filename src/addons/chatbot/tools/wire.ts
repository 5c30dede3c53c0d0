import type { ProblemArea } from '../../../problems/index.ts';
import type { ConditionRecord } from './conditions.ts';

// The parts of the admin API's answers that tools read. What they pass on as it is, has no type here.

export interface GatewayAnswer {
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly { readonly value: string }[];
  readonly conditions: readonly ConditionRecord[];
}

export interface ListenerAnswer {
  readonly name: string;
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly port: number;
  readonly protocol: string;
  readonly hostname: string | null;
  readonly attachedRoutes: number;
  readonly conditions: readonly ConditionRecord[];
}

export interface RouteAnswer {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly hostnames: readonly string[];
  readonly rules: readonly {
    readonly name?: string;
    readonly backendRefs?: readonly {
      readonly kind?: string;
      readonly namespace?: string;
      readonly name: string;
      readonly port?: number;
      readonly weight?: number;
    }[];
  }[];
  readonly accepted: boolean;
  readonly resolvedRefs: boolean;
  readonly parents: readonly {
    readonly parentRef: {
      readonly namespace?: string;
      readonly name: string;
      readonly kind?: string;
      readonly sectionName?: string;
    };
    readonly conditions: readonly ConditionRecord[];
  }[];
}

export interface CertificateAnswer {
  readonly namespace: string;
  readonly name: string;
  readonly sans: readonly string[] | null;
  readonly notAfter: string | null;
  readonly daysLeft: number | null;
  readonly state: 'valid' | 'expiring' | 'expired' | 'not-yet-valid' | 'unusable' | 'missing';
  readonly usedBy: readonly { readonly kind: string; readonly name: string }[];
}

export interface ProblemsAnswer {
  readonly verdict: 'ok' | 'warning' | 'failing' | 'unknown';
  readonly total: number;
  readonly items: readonly {
    readonly area: ProblemArea;
    readonly severity: 'failing' | 'warning';
    readonly code: string;
    readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
    readonly message: string;
    readonly cause: string;
    readonly next: string;
    readonly count: number;
  }[];
}

export interface SyncAnswer {
  readonly snapshotVersion: string | null;
  readonly nodes: readonly {
    readonly nodeId: string;
    readonly gateway: string;
    readonly sync: 'current' | 'drifted';
    readonly state: string;
    readonly message: string;
    readonly lastNackMessage: string | null;
  }[];
}

export interface SummaryAnswer {
  readonly snapshotVersion: string | null;
  readonly gatewayCount: number;
  readonly listenerCount: number;
  readonly routeCount: number;
  readonly backendCount: number;
  readonly endpointCount: number;
  readonly healthyEndpointCount: number;
  readonly nodeCount: number;
  readonly connectedNodeCount: number;
  readonly currentVersionNodeCount: number;
  readonly leader: { readonly identity: string; readonly isLeader: boolean };
  readonly version: string;
  readonly warnings: readonly { readonly message: string }[];
}

/** `/v1/access` */
export interface AccessAnswer {
  readonly gateway: { readonly namespace: string; readonly name: string } | null;
  readonly target: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly rule: string | null;
  };
  readonly rule: number | null;
  readonly part: string | null;
  readonly level: string | null;
  readonly policy: { readonly namespace: string; readonly name: string };
  readonly state: string;
  readonly by: { readonly namespace: string; readonly name: string } | null;
  readonly reasons: readonly string[];
}

/** `/v1/access/open` */
export interface OpenRouteAnswer {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly number[];
  readonly ruleNames: readonly (string | null)[];
  readonly host: string;
}

export interface RouteTestAnswer {
  readonly access?: unknown;
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly port: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly reason: string;
  readonly location: string | null;
  readonly listener: string | null;
  readonly route: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly rule: number;
    readonly ruleName: string | null;
  } | null;
  readonly backends: readonly {
    readonly namespace: string | null;
    readonly service: string | null;
    readonly port: number | null;
    readonly share: number;
    readonly endpoints: number | null;
    readonly picker: {
      readonly service: string;
      readonly failureMode: string;
      readonly lately: readonly {
        readonly outcome: 'picked' | 'replaced' | 'any' | 'failed' | 'answered' | 'unknown';
        readonly endpoint: string | null;
        readonly requests: number;
      }[];
    } | null;
    readonly status: number | null;
  }[];
  readonly candidates: readonly {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly rule: number;
    readonly ruleName: string | null;
    readonly outcome: string;
    readonly reason: string | null;
  }[];
  readonly hints: readonly string[];
}

export interface ValidationAnswer {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly objects: readonly {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly operation: string;
    readonly before: string;
    readonly after: string;
  }[];
}

/** Of `POST /v1/diff`. */
export interface DiffAnswer {
  readonly ir: readonly {
    readonly gateway: string;
    readonly kind: string;
    readonly name: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

/** Of one word of `/v1/search`. */
export interface FoundAnswer {
  readonly word: string;
  readonly matches: readonly {
    readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
    readonly by: 'name' | 'hostname' | 'part' | 'near';
    readonly hostname: string | null;
  }[];
  readonly total: number;
}

export interface ExplanationAnswer {
  readonly code: string;
  readonly kind: 'problem' | 'flag' | 'reason' | 'error';
  readonly summary: string;
  readonly causes: readonly string[];
  readonly steps: readonly string[];
  readonly docs: string;
}

export interface DocsAnswer {
  readonly hits: readonly {
    readonly link: string;
    readonly title: string;
    readonly heading: string;
    readonly text: string;
    readonly manifest: string | null;
    readonly score: number;
    readonly coverage: number;
  }[];
}

export interface ResourceAnswer {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly resource: {
    readonly spec?: { readonly targetRefs?: readonly { readonly kind: string; readonly name: string }[] };
    readonly status?: unknown;
  };
}

export interface BackendAnswer {
  readonly name: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly endpoints: readonly { readonly address: string; readonly healthy: boolean; readonly ready: boolean }[];
  readonly problem: string | null;
  readonly referencedBy: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[];
}

/** Of `/v1/ai/cost`. */
export interface AiCostAnswer {
  readonly totalCost: number | null;
  readonly todayCost: number | null;
  readonly byModel: readonly { readonly model: string; readonly requests: number; readonly cost: number | null }[];
  readonly budgets: readonly {
    readonly policy: string;
    readonly key: string;
    readonly unit: string;
    readonly per: string;
    readonly used: number;
    readonly limit: number;
    readonly resetsAt: string;
  }[];
}

/** Of `/v1/ai/overview`. */
export interface AiOverviewAnswer {
  readonly totalServices: number;
  readonly readyServices: number;
  readonly totalRequests: number;
  readonly failedRequests: number;
  readonly totalTokens: number;
}
