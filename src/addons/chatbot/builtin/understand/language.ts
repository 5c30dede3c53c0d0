/** Languages that answers exist in. */
export type Language = 'en' | 'de';

const german =
  /\b(ist|sind|der|die|das|dem|den|ein|eine|einen|einem|und|nicht|warum|wieso|weshalb|welche[rsnm]?|wie|wo|wer|wann|mein[er]?|ich|wir|gibt|kein[e]?|fuer|für|über|zum|zur|vom|von|im|bei|auf|mit|hat|haben|hilfe|zeig[e]?|bitte|alles|letzten?|stunden?|heute|gestern|seit|wurde|laeuft|läuft|geht|bedeutet|heisst|heißt|hallo|danke|moin|servus|loesche|lösche|zertifikat\w*|routen|fehler\w*|kaputt|anfragen?|dienste?|gewicht\w*|knoten|richtlinie\w*|passiert|geändert|proxys)\b|[äöüß]/giu;
const english =
  /\b(is|are|the|a|an|and|not|why|which|how|where|who|when|my|i|we|there|no|for|of|to|in|on|with|has|have|help|show|please|everything|last|hours?|today|yesterday|since|does|do|did|what|mean|means|hello|hi|thanks)\b/gi;

/** The language of a question; undefined when it has too few words to say. */
export function languageOf(text: string): Language | undefined {
  const [de, en] = [german, english].map((words) => text.match(words)?.length ?? 0) as [number, number];
  if (de === 0 && en === 0) return undefined;
  return de > en ? 'de' : 'en';
}
