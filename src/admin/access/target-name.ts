/** `KIND/NAMESPACE/NAME` as its parts, which are empty where the text is of another form. */
export function partsOfTarget(text: string): readonly [kind: string, namespace: string, name: string] {
  const [, word = '', namespace = '', name = ''] = /^([^/]+)\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
  return [word, namespace, name];
}
