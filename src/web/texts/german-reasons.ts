/** The reasons of a verdict in German: those that begin with a count, with their singular and plural. */
const COUNTED: readonly (readonly [english: RegExp, one: string, many: string])[] = [
  [/^boundary edges?$/, 'Randkante', 'Randkanten'],
  [/^edges? ha(?:s|ve) (.+) triangles$/, 'Kante hat $1 Dreiecke', 'Kanten haben $1 Dreiecke'],
  [/^inconsistently wound edges?$/, 'uneinheitlich orientierte Kante', 'uneinheitlich orientierte Kanten'],
  [/^non-manifold vert(?:ex|ices)$/, 'nicht mannigfaltige Ecke', 'nicht mannigfaltige Ecken'],
  [/^degenerate triangles?$/, 'degeneriertes Dreieck', 'degenerierte Dreiecke'],
  [/^intersecting triangles?$/, 'schneidendes Dreieck', 'schneidende Dreiecke'],
  [/^overlapping triangles?$/, 'überlappendes Dreieck', 'überlappende Dreiecke'],
];

/** Those that are one sentence. */
const SENTENCES: readonly (readonly [english: RegExp, german: string])[] = [
  [/^no triangles$/, 'keine Dreiecke'],
  [/^intersection check incomplete: .*$/, 'nicht alle Dreiecke geprüft: zu viele liegen dicht beieinander'],
  [/^inside out: (\d+) triangles? faces? inward$/, 'Innenseite außen, nach innen zeigende Dreiecke: $1'],
  [/^no enclosed volume$/, 'kein umschlossenes Volumen'],
  [/^volume lost without an explanation$/, 'Volumen fehlt ohne bekannten Grund'],
  [/^volume added without an explanation$/, 'Volumen kam ohne bekannten Grund hinzu'],
  [/^negative volumes could not be subtracted$/, 'negative Volumen konnten nicht abgezogen werden'],
  [/^walls without thickness were dropped$/, 'Wände ohne Dicke wurden entfernt'],
  [/^walls without thickness$/, 'Wände ohne Dicke'],
  [/^parts without volume were dropped$/, 'Teile ohne Volumen wurden entfernt'],
  [/^a shell directly inside another.*$/, 'eine Hülle direkt in einer anderen, ohne Hohlraum um sie'],
  [/^incomplete file: less than 1 % of the triangles$/, 'unvollständige Datei: weniger als 1 % der Dreiecke'],
  [/^incomplete file: (\d+) % of the triangles$/, 'unvollständige Datei: $1 % der Dreiecke'],
  [/^incomplete file$/, 'unvollständige Datei'],
  [
    /^implausible size: largest dimension (.+), and the file states no unit$/,
    'unplausible Größe: größte Abmessung $1, und die Datei nennt keine Einheit',
  ],
  [
    /^implausible size: volume (.+), and the file states no unit$/,
    'unplausible Größe: Volumen $1, und die Datei nennt keine Einheit',
  ],
];

/** Numbers of triangles at an edge. */
const NUMBERS: Readonly<Record<string, string>> = {
  'more than two': 'mehr als zwei',
  three: 'drei',
  four: 'vier',
  five: 'fünf',
  six: 'sechs',
  seven: 'sieben',
  eight: 'acht',
  nine: 'neun',
  ten: 'zehn',
  eleven: 'elf',
  twelve: 'zwölf',
};

/** Translates a reason of a verdict to German. Returns one that is not known unchanged. */
export function translateReason(reason: string): string {
  const [, count, noun = ''] = /^(\d+) (.+)$/.exec(reason) ?? [];
  const counted = COUNTED.find(([english]) => english.test(noun));
  if (counted) return `${count} ${fill(noun, counted[0], counted[count === '1' ? 1 : 2])}`;
  const sentence = SENTENCES.find(([english]) => english.test(reason));
  return sentence ? fill(reason, ...sentence) : reason;
}

/** Replaces `$1` in a German text by the part of the English one: numbers in words, and with a decimal comma. */
function fill(text: string, english: RegExp, german: string): string {
  const part = english.exec(text)?.[1] ?? '';
  return german.replace('$1', () => NUMBERS[part] ?? part.replace('.', ','));
}
