import type { Page } from 'playwright-core';

/** Texts that do harm where they become a part of a document. */
export const image = '<img src=x onerror="window.planted=1">';
export const script = '<script>window.planted=1</script>';
export const link = '[click](javascript:window.planted=1) ![x](http://evil.example/x.png)';
export const reversed = '\u202Eevil\u202C \u2066nested';
export const unseen = 'a\u200B\u200D\uFEFFb';
export const long = 'x'.repeat(3_000);

/** What no text of others may become on a page, and what it must not do to the layout. */
export const harmOn = (page: Page): Promise<unknown> =>
  page.evaluate(`({
    planted: window.planted ?? null,
    made: document.querySelectorAll('main img, main script, main iframe, main [onerror], main [style*="url"]').length,
    links: [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((href) => /^(javascript|data|http:)/i.test(href)),
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    squeezed: [...document.querySelectorAll('main thead th')].filter((head) => {
      const range = document.createRange();
      range.selectNodeContents(head);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.size > head.textContent.trim().split(/\\s+/).length;
    }).map(({ textContent }) => textContent),
  })`);

export const noHarm = { planted: null, made: 0, links: [], wide: 0, squeezed: [] } as const;
