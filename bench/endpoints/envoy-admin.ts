import { readFile } from 'node:fs/promises';
import { envoyOf, type Subject } from '../peer/subject.ts';
import { Asker, type Server } from './asker.ts';

/** The admin interface of a subject's Envoy, wherever its bootstrap has put it. */
export class EnvoyAdmin {
  readonly #asker: Asker;

  private constructor(server: Server) {
    this.#asker = new Asker(server);
  }

  static async of(subject: Subject): Promise<EnvoyAdmin> {
    const envoy = envoyOf((await subject.processes()).proxy);
    if (!envoy) throw new Error(`${subject.name} has no Envoy`);
    const words = (await readFile(`/proc/${envoy.pid}/cmdline`, 'utf8')).split('\0');
    const { admin } = JSON.parse(await readFile(words[words.indexOf('--config-path') + 1]!, 'utf8')) as Bootstrap;
    const { pipe, socket_address: socket } = admin.address;
    if (pipe) return new EnvoyAdmin({ socket: pipe.path });
    return new EnvoyAdmin({ address: socket!.address, port: socket!.port_value });
  }

  /** How many endpoints the cluster has whose name holds that; undefined while there is none. */
  async membersOf(name: string): Promise<number | undefined> {
    const answer = await this.#asker.answerOf(`/stats?filter=${name}.*membership_total$`);
    const counts = [...answer.matchAll(/: (\d+)$/gm)].map(([, count]) => Number(count));
    return counts.length === 0 ? undefined : Math.max(...counts);
  }

  /** True when the cluster whose name holds that, as a whole part of it, has an endpoint of that address. Other clusters cost nothing. */
  async hasEndpoint(name: string, address: string): Promise<boolean> {
    const query = new URLSearchParams({ resource: 'dynamic_endpoint_configs', name_regex: `.*\\b${name}/.*` });
    const answer = await this.#asker.answerOf(`/config_dump?include_eds&${query}`);
    return answer.includes(`"${address}"`);
  }

  close(): void {
    this.#asker.close();
  }
}

interface Bootstrap {
  readonly admin: {
    readonly address: {
      readonly pipe?: { readonly path: string };
      readonly socket_address?: { readonly address: string; readonly port_value: number };
    };
  };
}
