import { type Signal, signal } from '@preact/signals';
import { apiUrl, type Explanation, get } from '../api/index.ts';
import { Message } from './state.tsx';

/** What codes mean never changes while a control plane runs. */
const explained = new Map<string, Signal<Explanation | undefined>>();

function explanationOf(code: string): Signal<Explanation | undefined> {
  const known = explained.get(code);
  if (known !== undefined) return known;
  const answer = signal<Explanation | undefined>(undefined);
  explained.set(code, answer);
  get<Explanation>(apiUrl(`/v1/explain/${encodeURIComponent(code)}`)).then(
    (explanation) => {
      answer.value = explanation;
    },
    // Asked again the next time: the code alone says something.
    () => explained.delete(code),
  );
  return answer;
}

/** A flag of Envoy with what it means; proxies of other versions may report flags that are not known here. */
export function ExplainedCode({ code }: { readonly code: string }) {
  const explanation = /^[A-Z]{2,8}$/.test(code) ? explanationOf(code).value : undefined;
  return (
    <>
      <code>{code}</code> {explanation && <Message>{explanation.summary}</Message>}
    </>
  );
}
