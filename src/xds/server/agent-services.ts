import type { Server } from '@grpc/grpc-js';
import type { AgentCallOptions } from './agent-calls.ts';
import { type LimitKeeper, serveLimits } from './limit-service.ts';
import { serveTraffic, type TrafficKeeper } from './traffic-service.ts';
import { serveUsage, type UsageKeeper } from './usage-services.ts';

/** What agents may report beside xDS, on the same ports and under the same proof of identity. All of it is set up before `listen`. */
export class AgentServices {
  readonly #server: Server;
  readonly #options: AgentCallOptions;

  constructor(server: Server, options: AgentCallOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Passes usage to the keeper, which decides what proxies may use. Without it proxies are answered that nothing is kept. */
  serveUsage(keeper: UsageKeeper): void {
    serveUsage(this.#server, { ...this.#options, keeper });
  }

  /** Lets agents take from what the keeper keeps. Without it agents are answered that there is no such service. */
  serveLimits(keeper: LimitKeeper): void {
    serveLimits(this.#server, { ...this.#options, keeper });
  }

  /** Passes what agents report of traffic to the keeper. Without it agents are answered that there is no such service. */
  serveTraffic(keeper: TrafficKeeper): void {
    serveTraffic(this.#server, { ...this.#options, keeper });
  }
}
