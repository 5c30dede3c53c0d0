/** A sentence of the API: English, with code between backticks. It never becomes HTML. */
export function Sentence({ text }: { readonly text: string }) {
  return (
    <span class="message" lang="en" dir="auto">
      {text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
    </span>
  );
}
