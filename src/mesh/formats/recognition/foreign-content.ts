import { type Content, findXmlRoot, isText } from './content.js';

const ARCHIVE = 'Extract the model first';
const EXPORT = 'Export the model as STL, 3MF or STEP';
const MODEL = 'Choose the file of the model';
const DOWNLOAD = 'Download the model again';

/** Content that is not a model, or of a format that cannot be read: what it is, what to do, and how it begins. */
const KINDS: readonly [name: string, remedy: string, start: RegExp | string][] = [
  ['a gzip archive', ARCHIVE, '\x1f\x8b\x08'],
  ['a 7z archive', ARCHIVE, '7z\xbc\xaf\x27\x1c'],
  ['a RAR archive', ARCHIVE, 'Rar!\x1a\x07'],
  ['an xz archive', ARCHIVE, '\xfd7zXZ\0'],
  ['a bzip2 archive', ARCHIVE, /^BZh[1-9]1AY&SY/],
  ['a Zstandard archive', ARCHIVE, '\x28\xb5\x2f\xfd'],
  ['a tar archive', ARCHIVE, /^[\s\S]{257}ustar/],
  ['a PDF', EXPORT, '%PDF-'],
  ['a PNG image', MODEL, '\x89PNG'],
  ['a JPEG image', MODEL, '\xff\xd8\xff'],
  ['a GIF image', MODEL, /^GIF8[79]a/],
  ['a WebP image', MODEL, /^RIFF[\s\S]{4}WEBP/],
  ['a TIFF image', MODEL, 'II*\0'],
  ['a TIFF image', MODEL, 'MM\0*'],
  ['a Blender file', EXPORT, 'BLENDER'],
  ['a SketchUp file', EXPORT, /^[^A-Z]{0,4}SketchUp Model/],
  ['a DWG drawing', EXPORT, /^AC10\d\d/],
  ['a DXF drawing', EXPORT, /^(?:999\s[^\n]*\n\s*)?0\s+SECTION\s/],
  ['a Parasolid file', EXPORT, '**ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  ['an ACIS file', EXPORT, /^(?:ACIS BinaryFile|\d{3,5} \d+ \d+ \d+\s+\d+ \w+.*ACIS)/],
  ['a USD file', EXPORT, /^(?:PXR-USDC|#usda )/],
  ['a Maya file', EXPORT, /^(?:\/\/Maya ASCII|FOR[48][\s\S]{4,12}Maya)/],
  ['a document of Microsoft Office or a CAD program such as SolidWorks', EXPORT, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['binary G-code', 'Choose the model that was sliced', 'GCDE'],
  [
    'G-code',
    'Choose the model that was sliced',
    /^(?:[\s\S]*\n)?[ \t]*(?:N\d+ )?(?:G(?:0|1|00|01|21|28|90|92)(?: [XYZEF]-?[\d.]+|[ \tXYZ]*(?:;|\r?\n))|M(?:73|82|83|10[4679]|140|190|20[1345])[ \t;\r\n])/,
  ],
  ['a pointer of Git LFS, not the file itself', 'Download the file with git lfs pull', /^version https:\/\/git-lfs/],
  ['a hidden file of macOS', MODEL, '\0\x05\x16\x07'],
  ['a material library of an OBJ', MODEL, /^(?:#[^\n]*\n\s*)*newmtl\s/],
  ['a web page', DOWNLOAD, /^<(?:!doctype html|html)\b/i],
  ['a Windows program', MODEL, 'MZ\x90\0'],
  ['a Linux program', MODEL, '\x7fELF'],
  ['zero bytes', DOWNLOAD, '\0'.repeat(128)],
];

/** What a file is that cannot be read as a model, and what to do, both for an error message. */
export interface ForeignContent {
  name: string;
  remedy: string;
}

/** Returns what the content is if it is clearly not a model, or `undefined`. */
export function recognizeForeignContent(content: Content): ForeignContent | undefined {
  const kind = KINDS.find(([, , start]) =>
    typeof start === 'string' ? content.start.startsWith(start) : start.test(content.start),
  );
  if (kind) return { name: kind[0], remedy: kind[1] };
  const root = findXmlRoot(content);
  if (root !== undefined && /^(?:html|head|body|script)$/i.test(root)) return { name: 'a web page', remedy: DOWNLOAD };
  if (root === 'svg') return { name: 'an SVG image', remedy: EXPORT };
  if (root !== undefined) return { name: `XML with the root element “${root.slice(0, 40)}”`, remedy: EXPORT };
  if (isText(content) && /^(?:\{\s*["}]|\[\s*[{"\]])/.test(content.start)) return { name: 'JSON', remedy: DOWNLOAD };
  return undefined;
}
