/** The texts of the viewer. `{name}` is replaced by a value. */
export interface ViewerTexts {
  /** The language of the texts and the format of numbers (BCP 47). */
  language: string;
  viewer: string;
  /** The name of the picture, and how to control it by keyboard. */
  canvas: string;
  keys: string;
  fit: string;
  view: string;
  views: { initial: string; front: string; back: string; left: string; right: string; top: string; bottom: string };
  wireframe: string;
  section: string;
  sectionNone: string;
  sectionView: string;
  sectionPosition: string;
  sectionFlip: string;
  unit: string;
  compare: string;
  before: string;
  after: string;
  split: string;
  splitPosition: string;
  summary: string;
  dimensions: string;
  level: Record<string, string>;
  trianglesAll: string;
  trianglesPart: string;
  deviation: string;
  defects: string;
  noDefects: string;
  /** The kinds of defect, one and several. */
  kinds: Record<string, readonly [one: string, several: string]>;
  kindShown: string;
  place: string;
  placesPart: string;
  pin: string;
  pinGroup: string;
  previous: string;
  next: string;
  showAll: string;
  cutAway: string;
  noTriangles: string;
  noWebgl: string;
  contextLost: string;
  picture: string;
}

/** Replaces each `{name}` in a text by its value. */
export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
