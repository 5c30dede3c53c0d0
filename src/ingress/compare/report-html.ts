import { nameOf } from './compare.ts';
import { differenceLines, exampleNames, printable, type ReportParts } from './report-parts.ts';

const escaped = (text: string): string => printable(text).replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

const list = (lines: readonly string[]): string =>
  lines.map((line) => `<li><code>${escaped(line)}</code></li>`).join('\n');

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code{overflow-wrap:anywhere}h3{margin-bottom:.2rem}.bad{border-left:4px solid #b00020;padding-left:.8rem}
@media print{body{margin:0}section{break-inside:avoid}}`;

/** The report as one page without scripts and without anything from elsewhere, to be read or printed. */
export const htmlPage = ({ headline, notes, unexplained, explained }: ReportParts): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ingress-nginx and Gatewright</title><style>${style}</style></head><body>
<h1>ingress-nginx and Gatewright</h1>
<p>${escaped(headline)}</p>
<ul>${notes.map((note) => `<li>${escaped(note)}</li>`).join('\n')}</ul>
<h2>Unexplained</h2>
${unexplained.length === 0 ? '<p>None.</p>' : ''}
${unexplained
  .map(
    (each) =>
      `<section class="bad"><h3><code>${escaped(nameOf(each))}</code></h3><p>${escaped(each.request.because)}</p><ul>${list(differenceLines(each))}</ul></section>`,
  )
  .join('\n')}
<h2>Explained</h2>
${explained
  .map(
    ({ code, sentence, requests }) =>
      `<section><h3>${escaped(code)}: ${requests.length}</h3><p>${escaped(sentence)}</p><ul>${list(exampleNames(requests))}</ul></section>`,
  )
  .join('\n')}
</body></html>`;
