import type { ConditionFault } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { parseDurationMs } from '../../../std/index.ts';
import type { FilterGroup, Found, GroupSpec, Servers } from './group.ts';

type Page = GroupSpec<'errorPages'>[number];
type TextPage = Page & { readonly body: NonNullable<Page['body']> };
type AskedPage = Page & { readonly service: NonNullable<Page['service']> };
type Data = { readonly text: string } | { readonly fault: Omit<ConditionFault, 'message'> & { readonly what: string } };

const sources = { Any: undefined, Gateway: 'proxy', Backend: 'backend' } as const;
const defaultKey = 'error.html';

/** Of all pages of a policy together: each route that it is for has them. */
const mostBytes = 65_536;

/** A page that is not available leaves answers as they are. */
export const errorPages: FilterGroup<'errorPages'> = {
  refers: (pages) => pages.flatMap(({ body }) => body?.configMapRef?.name ?? []),
  asks: (pages) => pages.flatMap(({ service }) => service?.backendRef ?? []),
  valueOf: (pages, found, servers) => [
    ...bodiesOf(pages, found).flatMap(textPage),
    ...pages.filter(isAsked).flatMap((page) => askedPage(page, servers)),
  ],
  faultsOf: (pages, found, namespace, servers) => [
    ...bodiesOf(pages, found).flatMap(({ page, data }) => {
      if (!('fault' in data)) return [];
      const { reason, what } = data.fault;
      const { configMapRef } = page.body;
      const where = configMapRef ? `ConfigMap ${namespace}/${configMapRef.name}` : 'an inline text';
      return { reason, message: `${where} ${what}; answers stay as they are` };
    }),
    ...pages.filter(isAsked).flatMap((page) => serverFault(page, servers)),
  ],
};

const isText = (page: Page): page is TextPage => page.body !== undefined;
const isAsked = (page: Page): page is AskedPage => page.service !== undefined;

function textPage({ page, data }: { readonly page: TextPage; readonly data: Data }): ir.ErrorPage[] {
  if ('fault' in data) return [];
  const { codes = [], classes = [], source = 'Any', status, body } = page;
  const from = sources[source];
  const said = { ...(from && { from }), ...(status !== undefined && { status }) };
  return [{ codes, classes, ...said, contentType: body.contentType, body: data.text }];
}

/** As the definition's default, for objects that came by another way than the API server. */
const defaultTimeoutMs = 5_000;

function askedPage({ codes = [], classes = [], service }: AskedPage, servers: Servers): ir.AskedPage[] {
  const target = servers(service.backendRef);
  if ('fault' in target) return [];
  const { path = '/', headers = [], status, timeout = '' } = service;
  const server = {
    backend: target.key,
    path,
    headers: headers.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
    ...(status === 'Service' && { givesStatus: true as const }),
    timeoutMs: parseDurationMs(timeout) ?? defaultTimeoutMs,
  };
  return [{ codes, classes, server }];
}

function serverFault({ service }: AskedPage, servers: Servers): readonly ConditionFault[] {
  const target = servers(service.backendRef);
  if (!('fault' in target)) return [];
  const { reason, message } = target.fault;
  return [{ reason, message: `errorPages: ${message}; answers stay as they are` }];
}

/** Each with its text, as far as they have room. */
function bodiesOf(pages: readonly Page[], found: Found): readonly { readonly page: TextPage; readonly data: Data }[] {
  let left = mostBytes;
  return pages.filter(isText).map((page) => {
    const data = dataOf(page, found);
    if ('fault' in data) return { page, data };
    const size = Buffer.byteLength(data.text);
    if (size > left) return { page, data: fault('InvalidConfigMap', `makes the pages larger than ${mostBytes} bytes`) };
    left -= size;
    return { page, data };
  });
}

function dataOf({ body: { inline, configMapRef } }: TextPage, found: Found): Data {
  if (!configMapRef) return { text: inline ?? '' };
  const { name, key = defaultKey } = configMapRef;
  const object = found.get(name);
  if (!object) return fault('ConfigMapNotFound', 'does not exist');
  const text = Object.hasOwn(object.data ?? {}, key) ? object.data?.[key] : undefined;
  return text === undefined ? fault('InvalidConfigMap', `has no ${key}${advice(key)}`) : { text };
}

const fault = (reason: string, what: string): Data => ({ fault: { reason, what } });

/** A cluster's source keeps few entries of objects that are not labelled. */
const advice = (key: string): string =>
  usualKeys.includes(key)
    ? ''
    : ` (a key that is none of ${usualKeys.join(', ')} is read where the label gatewright.dev/credentials: "true" is)`;

const usualKeys = [defaultKey, 'error.json', 'error.txt'];
