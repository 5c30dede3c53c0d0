import https from 'node:https';
import { isIP } from 'node:net';

export interface Page {
  readonly status: number;
  readonly url: URL;
  readonly body: string;
  readonly location: string | undefined;
  readonly setCookies: readonly string[];
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** With a dot in front: for subdomains, too. */
  readonly domain: string;
  readonly path: string;
  readonly attributes: string;
}

export interface Visit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

/**
 * What a browser does with cookies, redirects and forms, over https and HTTP/1.1: every name is on 127.0.0.1. For many logins in a row; a real
 * Chromium says whether it is like one.
 */
export class ScriptedBrowser {
  #cookies: Cookie[] = [];

  /** Names and values that go to a URL. */
  cookiesFor(url: URL): readonly Pick<Cookie, 'name' | 'value'>[] {
    return this.#cookies.filter(
      ({ domain, path }) =>
        (domain.startsWith('.') ? `.${url.hostname}`.endsWith(domain) : url.hostname === domain) &&
        url.pathname.startsWith(path),
    );
  }

  get cookies(): readonly Cookie[] {
    return this.#cookies;
  }

  /** One request; redirects are not followed. */
  async ask(url: URL, { method = 'GET', headers = {}, form }: Visit = {}): Promise<Page> {
    const body = form && new URLSearchParams(form).toString();
    const cookie = this.cookiesFor(url)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const page = await request(url, {
      method: body === undefined ? method : 'POST',
      headers: {
        accept: 'text/html',
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
      body,
    });
    for (const text of page.setCookies) this.#keep(url, text);
    return page;
  }

  /** Follows redirects until there is none, or one that `stop` is for. */
  async visit(url: URL, visit: Visit = {}, stop: (next: URL) => boolean = () => false): Promise<Page> {
    let page = await this.ask(url, visit);
    for (let hops = 0; page.location !== undefined; hops += 1) {
      const next = new URL(page.location, page.url);
      if (stop(next)) return page;
      if (hops === 20) throw new Error(`more than 20 redirects, the last to ${next.href}`);
      page = await this.ask(next);
    }
    return page;
  }

  /** Logs in at the provider's own pages, from any page that leads there, and goes on to where that leads. */
  async logIn(url: URL, name: string, stop?: (next: URL) => boolean): Promise<Page> {
    let page = await this.visit(url, {}, stop);
    for (let forms = 0; forms < 2; forms += 1) {
      const prompt = /name="prompt" value="(login|consent)"/.exec(page.body)?.[1];
      const action = /action="([^"]+)"/.exec(page.body)?.[1];
      if (prompt === undefined || action === undefined) return page;
      const form = { prompt, ...(prompt === 'login' && { login: name, password: 'any' }) };
      page = await this.visit(new URL(action, page.url), { form }, stop);
    }
    return page;
  }

  #keep(url: URL, text: string): void {
    const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(text) ?? [];
    const attribute = (key: string) => new RegExp(`;\\s*${key}=([^;]*)`, 'i').exec(rest)?.[1];
    const given = attribute('domain');
    const domain = given ? `.${given.replace(/^\./, '')}` : url.hostname;
    const path = attribute('path') ?? '/';
    const isSame = (cookie: Cookie) => cookie.name === name && cookie.domain === domain && cookie.path === path;
    this.#cookies = this.#cookies.filter((cookie) => !isSame(cookie));
    const expires = attribute('expires');
    const isOver = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) < Date.now());
    if (!isOver) this.#cookies.push({ name, value, domain, path, attributes: rest });
  }
}

function request(
  url: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string | undefined },
): Promise<Page> {
  return new Promise((resolve, reject) => {
    const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const options = {
      host: isIP(address) === 6 ? address : '127.0.0.1',
      port: url.port || 443,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { host: url.host, ...headers },
      // Names alone may be sent; an address is none.
      servername: isIP(address) === 0 ? address : '',
      rejectUnauthorized: false,
      agent: false,
    } as const;
    const sent = https.request(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (more: string) => {
        text += more;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          url,
          body: text,
          location: response.headers.location,
          setCookies: response.headers['set-cookie'] ?? [],
        }),
      );
    });
    sent.once('error', reject).end(body);
  });
}
