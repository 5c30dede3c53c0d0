import test from 'ava';
import { logFaults } from '../../../../src/graph/model/index.ts';

const faults = (cel: string): readonly string[] => logFaults([{ minStatus: 500 }, { cel }]);

test('what expressions of access logs may have', (t) => {
  for (const text of [
    'response.code >= 500 || response.flags != 0',
    "request.url_path.startsWith('/api/') && request.method in ['POST', 'PUT']",
    "has(request.headers.team) || 'x-debug' in request.headers || request.headers['x-a'] != response.headers['x-b']",
    "request.duration > duration('1s') && size(request.host) < 10",
    "request.headers['user-agent'].matches('^curl/[0-9]+') ? connection.mtls : !connection.mtls",
    "has(response.grpc_status) && xds.route_name.contains('/shop/')",
  ])
    t.deepEqual(faults(text), [], text);
});

test('what is wrong is said with its place, and what is known', (t) => {
  for (const [text, fault] of [
    ['response.code >', /^accessLog\.when\[1\]\.cel 1:15: syntax error/],
    ['request.path == "/a"', /1:8: request\.path is not available: known are request\.method/],
    ['metadata.filter_metadata.x == 1', /metadata\.filter_metadata\.x is not available/],
    ['request.headers == {}', /request\.headers is not available/],
    ["request.headers['X-A'] == 'a'", /write the header X-A in lower case/],
    ["request.headers['x-gw-scope'] == 'a'", /one that proxies write for themselves/],
    ['request.headers[request.method] == "a"', /headers want a name in quotes/],
    ['["a"].exists(a, a == "b")', /comprehensions, maps and messages are not available/],
    ['request.method.split("") == []', /split is not available/],
    ['request.method.matches(request.host)', /matches wants its regular expression in quotes/],
    ["request.method.matches('(')", /the regular expression "\(" /],
    ['('.repeat(60), /more than 40 brackets/],
  ] as const)
    t.regex(faults(text).join('\n'), fault, text);
});
