/** The reasons of a verdict in German: those that begin with a count, with their singular and plural. */
const COUNTED: readonly (readonly [english: RegExp, one: string, many: string])[] = [
  [/^boundary edges?$/, 'Randkante', 'Randkanten'],
  [/^non-manifold edges?$/, 'nicht mannigfaltige Kante', 'nicht mannigfaltige Kanten'],
  [/^inconsistently wound edges?$/, 'uneinheitlich orientierte Kante', 'uneinheitlich orientierte Kanten'],
  [/^non-manifold vert(ex|ices)$/, 'nicht mannigfaltige Ecke', 'nicht mannigfaltige Ecken'],
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
  [/^walls without thickness were dropped$/, 'Wände ohne Dicke wurden entfernt'],
  [/^a shell directly inside another.*$/, 'eine Hülle direkt in einer anderen, ohne Hohlraum um sie'],
];

/** Translates a reason of a verdict to German. Returns one that is not known unchanged. */
export function translateReason(reason: string): string {
  const [, count, noun] = /^(\d+) (.+)$/.exec(reason) ?? [];
  const counted = COUNTED.find(([english]) => noun !== undefined && english.test(noun));
  if (counted) return `${count} ${counted[count === '1' ? 1 : 2]}`;
  const sentence = SENTENCES.find(([english]) => english.test(reason));
  return sentence ? reason.replace(...sentence) : reason;
}
