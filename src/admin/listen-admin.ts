import type Koa from 'koa';
import type { ListenAddress } from '../config/index.ts';
import type { Admin } from './create-admin.ts';
import { type HttpListener, listen } from './http/index.ts';

/** Where the three faces listen, as the configuration has it. */
export interface AdminAddresses {
  readonly admin: { readonly listen: ListenAddress; readonly layout2Listen: ListenAddress };
  readonly metrics: { readonly listen: ListenAddress };
}

/** The open ports of the admin API. */
export interface AdminListeners {
  readonly layout1: HttpListener;
  readonly layout2: HttpListener;
  readonly metrics: HttpListener;
  /** Closes all three; open requests have `graceMs` to end. */
  close(graceMs?: number): Promise<void>;
}

/** Opens the three ports, or none: rejects with a ConfigError for the first that is not available, after closing the others. */
export async function listenAdmin(admin: Admin, config: AdminAddresses): Promise<AdminListeners> {
  const listeners: HttpListener[] = [];
  const open = async (app: Koa, address: ListenAddress, key: string): Promise<HttpListener> => {
    const listener = await listen(app.callback(), address, { key });
    listeners.push(listener);
    return listener;
  };
  const close = async (graceMs?: number): Promise<void> => {
    admin.endStreams();
    await Promise.all(listeners.map((listener) => listener.close(graceMs)));
  };
  try {
    const layout1 = await open(admin.layout1, config.admin.listen, 'admin.listen');
    const layout2 = await open(admin.layout2, config.admin.layout2Listen, 'admin.layout2Listen');
    const metrics = await open(admin.metrics, config.metrics.listen, 'metrics.listen');
    return { layout1, layout2, metrics, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}
