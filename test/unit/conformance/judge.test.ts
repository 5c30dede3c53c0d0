import test from 'ava';
import { judge, parseList } from '../../conformance/judge.ts';
import { namesOf, parseResults } from '../../conformance/results.ts';

/** As the suite prints it: parts of tests are indented deeper, and other output stands between. */
const output = `=== RUN   TestConformance
=== RUN   TestConformance/HTTPRouteWeight
    logger.go:38: 2026-01-01 Applying --- PASS: TestConformance/NotATest
    --- PASS: TestConformance/HTTPRouteWeight (1.20s)
        --- PASS: TestConformance/HTTPRouteWeight/a_part (1.00s)
    --- FAIL: TestConformance/HTTPRouteMatching (60.00s)
        --- FAIL: TestConformance/HTTPRouteMatching/0_request_to_'/' (30.00s)
    --- SKIP: TestConformance/GatewayStaticAddresses (0.00s)
--- FAIL: TestConformance (80.00s)
FAIL
`;
const results = parseResults(output);
const known = (...knownFailures: string[]) => ({ knownFailures, isWhole: true });

test('tests are counted once, whatever parts they have', (t) => {
  t.deepEqual(namesOf(results, 'passed'), ['HTTPRouteWeight']);
  t.deepEqual(namesOf(results, 'failed'), ['HTTPRouteMatching']);
  t.deepEqual(namesOf(results, 'skipped'), ['GatewayStaticAddresses']);
  t.true(results.isFinished);
});

test('a failure that is not known is a fault', (t) => {
  t.deepEqual(judge(results, known()), ['HTTPRouteMatching failed']);
});

test('a failure that is known is none', (t) => {
  t.deepEqual(judge(results, known('HTTPRouteMatching')), []);
});

test('a known failure that passes has to leave the list', (t) => {
  t.regex(judge(results, known('HTTPRouteMatching', 'HTTPRouteWeight')).join(), /^HTTPRouteWeight passes now/);
});

test('a known failure that does not exist has to leave the list, unless only a part was run', (t) => {
  const knownFailures = ['HTTPRouteMatching', 'Renamed'];
  t.regex(judge(results, { knownFailures, isWhole: true }).join(), /^Renamed is no test/);
  t.deepEqual(judge(results, { knownFailures, isWhole: false }), []);
});

test('a suite that crashed is a fault, though every test so far passed', (t) => {
  const crashed = parseResults('    --- PASS: TestConformance/HTTPRouteWeight (1.20s)\npanic: test timed out\n');
  t.deepEqual(judge(crashed, known()), ['the suite did not come to its end']);
});

test('a suite that fails without a test that failed is a fault, such as for want of a report', (t) => {
  const passing = '    --- PASS: TestConformance/HTTPRouteWeight (1.20s)\n';
  t.deepEqual(judge(parseResults(`${passing}--- PASS: TestConformance (1.20s)\n`), known()), []);
  t.deepEqual(judge(parseResults(`--- FAIL: TestConformance (1.20s)\n${passing}`), known()), [
    'the suite failed, and none of its tests did: see output.log',
  ]);
});

test('a run without a single test is a fault', (t) => {
  t.deepEqual(judge(parseResults('--- PASS: TestConformance (1.20s)\n'), known()), ['no test was run']);
});

test('a list has one name a line, with comments', (t) => {
  t.deepEqual(parseList('# about\n\nA # why\n  B\n'), ['A', 'B']);
});
