import { link } from '../router/index.ts';
import { mayWrite } from '../session/index.ts';
import { texts } from '../text/index.ts';
import type { ObjectName } from './object-link.tsx';

const words = texts({ edit: 'Edit' }, { edit: 'Bearbeiten' });

/** Opens an object in the editor; nothing for those who may only read. */
export function EditLink({ kind, namespace, name }: ObjectName) {
  if (!mayWrite.value) return null;
  return (
    <a class="edit" href={link('edit', [kind, namespace ?? '_cluster', name])}>
      {words().edit}
    </a>
  );
}
