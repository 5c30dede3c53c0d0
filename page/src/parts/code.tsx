/** Text as it is, such as a manifest or what Envoy said. It can be scrolled with the keyboard, too. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
    <pre lang="en" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
