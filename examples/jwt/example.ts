import type { Example } from '../../scripts/example/example.ts';

/** The second one is of a wildcard. */
const hosts = ['api.localhost', 'team.api.localhost'];

/** Signed with a key that was thrown away; good until the year 2100. */
const tokens = {
  alice:
    'eyJhbGciOiJFUzI1NiIsImtpZCI6ImV4YW1wbGUiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoiYXBpIiwiZXhwIjo0MTAyNDQ0ODAwLCJzdWIiOiJhbGljZSIsImdyb3VwcyI6WyJvcHMiXX0.UxZNqcBFN8TcDF2z23VxLiEgPFGHuTAM7sBIFmui_7O-BPn2O3i4TiE6dHzwKtkoKH4-G-kg40p1CCoQ9OBLzg',
  bob: 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImV4YW1wbGUiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoiYXBpIiwiZXhwIjo0MTAyNDQ0ODAwLCJzdWIiOiJib2IiLCJncm91cHMiOlsiZGV2Il19.9Tsadk41hgpDhb-S6mvPSnXOsO09Q_dZi9FRgqc1T20qoHRukoaQVZ9gxZI6ZLDgMlMwbTsFzBTYTTVQLIE-mg',
  expired:
    'eyJhbGciOiJFUzI1NiIsImtpZCI6ImV4YW1wbGUiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoiYXBpIiwiZXhwIjoxNzAwMDAwMDAwLCJzdWIiOiJhbGljZSJ9.LTxYtEy0qkhvZ6OlX_q0lQ8nFJETr1N6PMYtWl4UXABdnUnKiaiuWmUpcn3hqmVWjD3oOz_pC9CUPzr4-uTGCw',
} as const;
const by = (name: keyof typeof tokens) => ({ headers: { authorization: `Bearer ${tokens[name]}` } });

export const example: Example = {
  requests: hosts.flatMap((host): Example['requests'] => {
    const api = { host, port: 8080 };
    return [
      { ...api, path: '/', expect: { status: 401 } },
      { ...api, path: '/', ...by('expired'), expect: { status: 401 } },
      { ...api, path: '/', ...by('bob'), expect: { status: 200, backend: 'api', sees: { 'x-user': 'bob' } } },
      { ...api, path: '/admin', ...by('bob'), expect: { status: 403 } },
      { ...api, path: '/admin', ...by('alice'), expect: { status: 200, backend: 'api', sees: { 'x-user': 'alice' } } },
    ];
  }),
};
