import type { Shot } from './camera.ts';

const bothThemes = ['light', 'dark'] as const;

/** Every picture. A test holds that each page of the app has one, and that docs name each of them. */
export const shots: readonly Shot[] = [
  { name: 'overview', link: '#/', shown: '.problem[data-code="traffic_failing"]', themes: bothThemes, height: 820 },
  {
    name: 'why',
    link: ({ httpPort }) => `#/why?u=${encodeURIComponent(`http://shop.example.com:${httpPort}/checkout`)}`,
    shown: '.answer[data-outcome="forward"]',
    themes: bothThemes,
  },
  { name: 'traffic', link: '#/traffic?window=5m', shown: '.chart canvas', themes: bothThemes },
  { name: 'failures', link: '#/failures', shown: '.failure' },
  { name: 'changes', link: '#/changes', shown: '.change' },
  {
    name: 'map',
    link: '#/map?focus=Gateway%2Finfra%2Fpublic',
    width: 1720,
    shown: '.map .node',
    themes: bothThemes,
  },
  { name: 'ai', link: '#/ai', shown: '.panel .figure' },
  { name: 'gateways', link: '#/gateways', shown: '.grid .row' },
  { name: 'routes', link: '#/routes', shown: '.grid .row' },
  { name: 'route', link: '#/routes/HTTPRoute/shop/storefront', shown: '.limits li' },
  { name: 'backends', link: '#/backends', shown: '.grid .row' },
  { name: 'proxies', link: '#/proxies', shown: '.grid .row' },
  { name: 'certificates', link: '#/certificates', shown: '.grid .row' },
  { name: 'policies', link: '#/policies', shown: '.grid .row' },
  {
    name: 'chat',
    link: '#/chat',
    shown: '.turn[data-done="true"]',
    async act(page) {
      await page.locator('#question').fill('Why does shop.example.com/checkout fail?');
      await page.keyboard.press('Enter');
    },
  },
  { name: 'edit', link: '#/edit/HTTPRoute/shop/storefront', shown: '.report[data-valid="true"]' },
  { name: 'docs', link: '#/docs/problems.md', shown: '.guide h2' },
  {
    name: 'api',
    link: '#/docs/api/getV1NodesNodeId?p.nodeId=infra.public',
    shown: '.answered',
    themes: bothThemes,
    height: 820,
    act: (page) => page.locator('#try-it button').click(),
  },
  { name: 'settings', link: '#/settings', shown: 'input[name="apiKey"]' },
];
