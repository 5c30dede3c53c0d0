import { Badge, Message } from '../../parts/index.ts';
import { judged } from './judge.ts';
import { editWords } from './words.ts';

/** What the control plane says of the text that stands in the editor now. */
export function Report({ text }: { readonly text: string }) {
  const words = editWords();
  const said = judged.value?.text === text ? judged.value.report : undefined;
  if (said === undefined)
    return (
      <p class="report quiet" role="status">
        {words.checking}
      </p>
    );
  const { errors, warnings } = said;
  return (
    <div class="report" role="status" data-valid={said.valid}>
      {errors.length > 0 && <Badge state="failing">{words.errors(errors.length)}</Badge>}
      {warnings.length > 0 && <Badge state="warning">{words.warnings(warnings.length)}</Badge>}
      {errors.length + warnings.length === 0 && <Badge state="ok">{words.valid}</Badge>}
      <ul>
        {[...errors, ...warnings].map((message) => (
          <li key={message}>
            <Message>{message}</Message>
          </li>
        ))}
      </ul>
    </div>
  );
}
