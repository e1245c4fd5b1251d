import type { WarningCode } from '../../../mesh/analysis/report.js';

/** A German text for the English messages that match a pattern; one without a pattern is for all messages. */
type Translation = readonly [german: string, english?: RegExp];

const NUMBER = String.raw`(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)`;

/** Creates a pattern for a whole message. `#` is a number. */
function pattern(text: string): RegExp {
  return new RegExp(`^${text.replaceAll('#', NUMBER)}$`);
}

const TRUNCATED: readonly Translation[] = [
  [
    'Der Anfang der Datei nennt $1 Dreiecke. Die Datei enthält $2, die gelesen wurden.',
    pattern('The header declares # triangles?; the file contains #, which were read\\.'),
  ],
  [
    'Der Anfang der Datei nennt $1 Ecken und $2 Flächen. Die Datei enthält $3 und $4, die gelesen wurden.',
    pattern('The header declares # vert(?:ex|ices) and # faces?; the file contains # and #, which were read\\.'),
  ],
  [
    'Der Anfang der Datei nennt $1 Elemente „$2“. Die Datei enthält $3, die gelesen wurden.',
    pattern('The header declares # of “(.*)”; the file contains #, which were read\\.'),
  ],
  ['Die Datei ist unvollständig. Nur vollständige Teile wurden gelesen.'],
];

const UNITS_DOUBTFUL: readonly Translation[] = [
  [
    'Das Volumen des Modells beträgt $1 mm³. Prüfen Sie, ob die Maße der Datei wirklich in $2 oder in $3 sind; nichts wurde skaliert.',
    pattern('The volume of the model is # mm³\\. Check whether the file is really in (\\w+), or in (\\w+); .*'),
  ],
  [
    'Die größte Abmessung des Modells beträgt $1 mm. Prüfen Sie, ob die Maße der Datei wirklich in $2 sind; nichts wurde skaliert.',
    pattern('The largest dimension of the model is # mm\\. Check whether the file is really in (\\w+); .*'),
  ],
  [
    'Die größte Abmessung des Modells beträgt $1 mm. Prüfen Sie die Einheit, die in der Datei steht; nichts wurde skaliert.',
    pattern('The largest dimension of the model is # mm\\. .*'),
  ],
];

const ROUNDING = '; PLY, OBJ, 3MF und AMF behalten die volle Genauigkeit.';

/** Names of helper bodies and objects in messages. */
const NOUNS: Readonly<Record<string, string>> = {
  'negative volume': 'negatives Volumen',
  'negative volumes': 'negative Volumen',
  modifier: 'Modifikator',
  modifiers: 'Modifikatoren',
  'support enforcer': 'Stützverstärker',
  'support enforcers': 'Stützverstärker',
  'support blocker': 'Stützblocker',
  'support blockers': 'Stützblocker',
  'support body': 'Stützkörper',
  'support bodies': 'Stützkörper',
  'helper body': 'Hilfskörper',
  'helper bodies': 'Hilfskörper',
  part: 'Teil',
  parts: 'Teile',
  object: 'Objekt',
  objects: 'Objekte',
};

const BODIES = `# (${Object.keys(NOUNS).join('|')})`;

/** Returns two translations: of a message with names of bodies, and of one without. */
function translateBodies(german: string, english: string, end = ''): readonly Translation[] {
  return [
    [`${german}: $1 $2: $3.`, pattern(`${BODIES} ${english}: (“.*”)\\.${end}`)],
    [`${german}: $1 $2.`, pattern(`${BODIES} ${english}\\.${end}`)],
  ];
}

/** The warnings of a report in German, by their codes. `$1` is the first number or name of the English message. */
const WARNINGS: Readonly<Record<WarningCode, readonly Translation[]>> = {
  EXTENSION_WRONG: [['Die Endung des Dateinamens passt nicht zum Inhalt. Gelesen wurde die Datei nach ihrem Inhalt.']],
  TRUNCATED,
  COUNT_WRONG: [
    [
      'Der Anfang der Datei nennt $1 Dreiecke. Die Datei enthält $2, die alle gelesen wurden.',
      pattern('The header declares # triangles?; the file contains #, which were all read\\.'),
    ],
  ],
  TRAILING_BYTES: [
    ['Nach $2 Dreiecken folgen $1 Bytes, die nicht gelesen wurden.', pattern('# bytes? after # triangles? .*')],
  ],
  NOT_FINITE: [
    ['Dreiecke mit ungültigen oder zu großen Koordinaten wurden übersprungen: $1.', pattern('# triangles? .*')],
  ],
  FACES_DROPPED: [['Flächen mit fehlenden oder ungültigen Ecken wurden übersprungen: $1.', pattern('# faces? .*')]],
  NO_FACES: [['Die Datei enthält Punkte, aber keine Flächen.']],
  OBJECTS_MISSING: [
    ['Verweise auf fehlende Objekte wurden übersprungen: $1.', pattern('# references? .*')],
    ['Modelle ohne Verbindung mit der Szene wurden übersprungen: $1.', pattern('# models? .*')],
    [
      'Prototypen, die die Datei nicht enthält, wurden übersprungen: $1.',
      pattern('Prototypes that the file does not contain were skipped: (.*)\\.'),
    ],
    ['Die Datei verweist auf Objekte, die sie nicht enthält; sie wurden übersprungen.'],
  ],
  ANIMATION_DROPPED: [
    [
      'Animationen, Skelette und Verformungen werden nicht gelesen; die Geometrie hat eine Haltung: bei glTF und Collada die ihrer Knoten, sonst die Ruhelage.',
    ],
  ],
  BEAMS_DROPPED: [['Balkengitter werden nicht gelesen, nur Dreiecke.']],
  COLOURS_DROPPED: [['Farben werden nicht gelesen, nur die Geometrie.']],
  MATERIALS_DROPPED: [['Materialien und Texturen werden nicht gelesen, nur die Geometrie.']],
  CURVES_DROPPED: [['Gekrümmte Dreiecke werden als ebene gelesen.']],
  INLINE_DROPPED: [['Teile in anderen Dateien werden nicht gelesen.']],
  LINES_DROPPED: [['Punkte und Linien werden nicht gelesen, nur Dreiecke.']],
  PAINTING_DROPPED: [
    ['Die Bemalung des Slicers (Farben, Stützen, Nähte, raue Außenhaut) wird nicht gelesen, nur die Geometrie.'],
  ],
  SETTINGS_DROPPED: [['Einstellungen des Slicers werden nicht gelesen, nur die Geometrie.']],
  SHAPES_DROPPED: [
    ['Formen dieser Arten werden nicht gelesen: $1.', pattern('Shapes of these types are not imported: (.*)\\.')],
  ],
  SLICES_DROPPED: [['Schichten werden nicht gelesen, nur Dreiecke.']],
  SURFACES_DROPPED: [
    [
      'Flächen, die ohne Darstellungsnetz gespeichert sind, werden nicht gelesen: Speichern Sie die Datei in schattierter Ansicht, oder exportieren Sie sie als STEP.',
    ],
  ],
  PLATES_COMBINED: [
    [
      'Die Datei hat $1 Platten, die als ein Modell gelesen werden: $2. Der Parameter plate wählt eine aus.',
      pattern('The file has # plates, which are read as one model: (.*)\\. Select .*'),
    ],
  ],
  PLATE_SELECTED: [
    [
      'Eine von $1 Platten wurde gelesen: $2. Es gibt auch $3.',
      pattern('One of # plates was read: (.*)\\. The others are (.*)\\.'),
    ],
  ],
  HELPERS_DROPPED: [
    ...translateBodies('Weggelassen', '(?:was|were) left out'),
    [
      'Weggelassen: $1 $2, denn das Format $3 speichert sie nicht.',
      pattern(`${BODIES} .* the format (\\S+) cannot .*`),
    ],
  ],
  HELPERS_KEPT: translateBodies('Neben dem Modell behalten', '(?:is|are) kept beside the model'),
  NEGATIVES_SUBTRACTED: [
    ...translateBodies('Abgezogen', '(?:was|were) subtracted'),
    ...translateBodies('Zum Abziehen repariert', '(?:was|were) repaired for the subtraction'),
    ...translateBodies('Durch negative Volumen ganz entfernt', '(?:was|were) removed entirely by .*?'),
  ],
  NEGATIVES_FAILED: translateBodies('Nicht abziehbar', 'could not be subtracted', ' .*'),
  UNPRINTABLE_DROPPED: translateBodies(
    'Nicht zu drucken und weggelassen',
    '(?:is|are) not to be printed and (?:was|were) left out',
  ),
  SLICER_CONFIG_DAMAGED: [
    [
      'Die Liste der Teile des Slicers, $1, ist beschädigt: Hilfskörper werden vielleicht als Teile des Modells gelesen.',
      pattern('.*, (Metadata/[\\w.]+), is damaged: .*'),
    ],
  ],
  INTERSECTIONS_LEFT: [
    [
      'Noch schneidende Dreiecke: $1. Sie zu trennen würde einen Teil des Modells entfernen oder die Grenze des Aufwands überschreiten.',
      pattern('# triangles? .*'),
    ],
  ],
  WORK_LIMIT_REACHED: [
    [
      'Der Schritt $1 hat die Grenze seines Aufwands erreicht: Das Ergebnis ist das beste bis dahin. Vereinfachen Sie das Modell, oder exportieren Sie es in Teilen.',
      pattern('The step ([\\w-]+) .*'),
    ],
  ],
  VOLUME_CHANGED: [
    ['Das Volumen hat sich von $1 auf $2 mm³ geändert.', pattern('The volume changed from # to # mm³\\.')],
  ],
  SHRINKWRAP_SUGGESTED: [
    [
      'Das reparierte Modell ist kein Volumenkörper. shrinkwrap-repair ersetzt seine Oberfläche durch die eines Volumenkörpers.',
    ],
  ],
  UNEXPLAINED_LOSS: [
    [
      'Körper, von denen ein Teil fehlt: $1. Es fehlen $2 mm³, aus einem Grund, den die Reparatur nicht kennt. Vergleichen Sie das Ergebnis mit dem Modell.',
      pattern('# bod(?:y|ies) ha(?:s|ve) lost # mm³, .*'),
    ],
  ],
  UNEXPLAINED_GAIN: [
    [
      'Das Ergebnis umschließt $1 mm³, die das Modell nicht umschließt, aus einem Grund, den die Reparatur nicht kennt. Vergleichen Sie das Ergebnis mit dem Modell.',
      pattern('The result encloses # mm³ .*'),
    ],
  ],
  HOLES_FILLED: [
    [
      'Gefüllte Löcher sind $1 % der Oberfläche. Das größte misst $2 mm ($3 mm²), bei $4. Vergleichen Sie das Ergebnis mit dem Modell.',
      pattern('# % of the surface .* is # mm across \\(# mm²\\), at (.*)\\. Compare .*'),
    ],
  ],
  GAPS_CLOSED: [
    [
      'Lücken von bis zu $1 mm zwischen Flächen wurden geschlossen: Das Volumen kann um $2 % falsch sein. Vergleichen Sie das Ergebnis mit dem Modell.',
      pattern('Gaps of up to # mm .* wrong by # %\\. Compare .*'),
    ],
  ],
  SHEETS_DROPPED: [
    [
      'Dreiecke von Wänden ohne Dicke wurden entfernt: $1. Geben Sie den Wänden eine Dicke.',
      pattern('# triangles? .*'),
    ],
  ],
  ZERO_THICKNESS: [
    [
      'Dreiecke von Wänden ohne Dicke, die nichts umschließen: $1. Geben Sie den Wänden eine Dicke.',
      pattern('# triangles? .*'),
    ],
  ],
  PARTS_DROPPED: [['Teile ohne Volumen wurden entfernt: $1, und zwar $2.', pattern('# parts? .* dropped: (.*)\\.')]],
  PARTS_FILLED: [
    ['Teile ohne Platz für einen Hohlraum bleiben gefüllt: $1, und zwar $2.', pattern('# parts? .* filled: (.*)\\.')],
  ],
  PARTS_UNITED: [['Vereinigte Teile: $1, und zwar $2.', pattern('# parts were united: (.*)\\.')]],
  SURFACE_REPLACED: [
    [
      'Die Oberfläche wurde durch eine aus Würfeln von $1 mm ersetzt. Sie weicht höchstens $2 mm von der alten ab. Teile, die dünner als $3 mm waren, sind nun so dick; $4 Objekte sind vereinigt.',
      pattern('.* of # mm\\. .* most # mm\\. .* than # mm .* its # objects .*'),
    ],
    [
      'Die Oberfläche wurde durch eine aus Würfeln von $1 mm ersetzt. Sie weicht höchstens $2 mm von der alten ab. Teile, die dünner als $3 mm waren, sind nun so dick.',
      pattern('.* of # mm\\. .* most # mm\\. .* than # mm .*'),
    ],
  ],
  ROUNDING_BROKE_TRIANGLES: [
    [
      `Das Format $1 speichert etwa sieben Stellen je Koordinate: Durch das Runden sind $2 Dreiecke schneidend oder degeneriert${ROUNDING}`,
      pattern('The format (\\S+) .* leaves # intersecting .*'),
    ],
  ],
  ROUNDING_CHANGED_SHAPE: [
    [
      `Das Format $1 speichert etwa sieben Stellen je Koordinate: Das Runden verschiebt Ecken um bis zu $2 mm${ROUNDING}`,
      pattern('The format (\\S+) .* by up to # mm\\. .*'),
    ],
  ],
  UNITS_DOUBTFUL,
  TARGET_NOT_REACHED: [
    [
      'Es sind $1 Dreiecke übrig, nicht $2: Weitere zu entfernen würde Dreiecke um mehr als $3 Grad drehen oder die Oberfläche beschädigen.',
      pattern('# triangles are left, not #: .* than # degrees, .*'),
    ],
  ],
  CAVITY_CLOSED: [['Ein Hohlraum hat kein Ablaufloch: Harz oder Pulver bleibt darin.']],
  DRAIN_HOLES_ADDED: [
    ['Ablauflöcher mit einem Durchmesser von $2 mm: $1, bei $3.', pattern('.*?# drain holes? .* of # mm: at (.*)\\.')],
  ],
  DRAIN_HOLES_MISSING: [
    ['Nicht alle Ablauflöcher waren möglich. Wählen Sie einen kleineren Durchmesser oder weniger Löcher.'],
  ],
  LOOSE_BODIES: [
    [
      'Lose Körper im Inneren: $1, denn die Wände um Hohlräume des Modells berühren keine andere Wand. Füllen Sie die Hohlräume durch eine Reparatur, die innere Hüllen vereinigt, oder wählen Sie dickere Wände.',
      pattern('# bod.*'),
    ],
  ],
};

/** The beginning of a warning about one part of a model: its name, and how many other parts have the same one. */
const PART = /^Part “(.*?)”(?:, as in (\d+) others)?: /;

/** Translates a warning of a report to German. Returns `undefined` if it is not known. */
export function translateWarning({ code, message }: { code: string; message: string }): string | undefined {
  const [prefix = '', name, others] = PART.exec(message) ?? [];
  const text = translateMessage(code, message.slice(prefix.length));
  if (text === undefined || name === undefined) return text;
  return `Teil „${name}“${others === undefined ? '' : `, wie in ${others} weiteren`}: ${text}`;
}

function translateMessage(code: string, message: string): string | undefined {
  const translations = new Map<string, readonly Translation[]>(Object.entries(WARNINGS)).get(code) ?? [];
  for (const [german, english = /^/] of translations) {
    const match = english.exec(message);
    if (match) return german.replace(/\$(\d)/g, (_, index: string) => formatPart(match[Number(index)] ?? ''));
  }
  return undefined;
}

/** Returns a number with a decimal comma, the German name of a kind of body, and another part of a message as it is. */
function formatPart(part: string): string {
  return pattern('#').test(part) ? part.replace('.', ',') : Object.hasOwn(NOUNS, part) ? (NOUNS[part] ?? part) : part;
}
