import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AccessLogFilterSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { celLogFilter } from './counting-log.ts';

/** Where a route's metadata says which of its requests are logged: the listener's filter reads it, so that a change of it changes no listener. */
const namespace = 'gatewright.log';

/** What lines have of the route. */
export const routeTagsFormat = `%METADATA(ROUTE:${namespace}:tags)%`;

const said = `xds.route_metadata.filter_metadata['${namespace}']`;
const bound = (name: string, condition: string): string => `(!('${name}' in ${said}) || ${condition})`;

/** A request without a route, or whose route says nothing, is logged. Without a status, as when the client left, none of these bounds holds. */
export const isLoggedByRoute: MessageInitShape<typeof AccessLogFilterSchema> = celLogFilter(
  `!has(xds.route_metadata) || !('${namespace}' in xds.route_metadata.filter_metadata) || (${[
    `!('off' in ${said})`,
    bound('min', `response.code >= int(${said}['min'])`),
    bound('max', `response.code <= int(${said}['max'])`),
    bound('took', `request.duration >= duration(${said}['took'])`),
  ].join(' && ')})`,
);

/** A route's metadata for `isLoggedByRoute`. */
export const routeLogMetadata = ({ off, minStatus, maxStatus, minDurationMs, tags }: ir.RuleLog) => ({
  [namespace]: {
    ...(off && { off }),
    ...(minStatus !== undefined && { min: minStatus }),
    ...(maxStatus !== undefined && { max: maxStatus }),
    ...(minDurationMs !== undefined && { took: `${minDurationMs}ms` }),
    ...(tags && { tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])) }),
  },
});
