import { MeshError } from '../core/mesh-error.js';
import type { Format, Signature } from './format.js';
import { FORMATS } from './registry.js';
import { decodeText } from './text/decode-text.js';

/** Content that is not a model. */
const SIGNATURES: readonly Signature[] = [
  { name: 'a ZIP archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'an empty ZIP archive', bytes: [0x50, 0x4b, 0x05, 0x06] },
  { name: 'a gzip archive', bytes: [0x1f, 0x8b, 0x08] },
  { name: 'a 7z archive', bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { name: 'a RAR archive', bytes: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07] },
  { name: 'a PDF', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { name: 'a PNG image', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { name: 'a JPEG image', bytes: [0xff, 0xd8, 0xff] },
];
const SNIFF_BYTES = 1024;

/**
 * Throws `FILE_MALFORMED` if the content clearly does not match the extension: an archive, an image or a web page,
 * which a failed download leaves behind, or another format with a signature. Leaves content that the format accepts to
 * its reader.
 */
export function rejectMismatchedContent(bytes: Uint8Array, filename: string, { acceptsContent }: Format): void {
  if (acceptsContent?.(bytes)) return;
  const signatures = [...SIGNATURES, ...FORMATS.flatMap(({ signature }) => signature ?? [])];
  const match = signatures.find((signature) => signature.bytes.every((byte, i) => bytes[i] === byte))?.name;
  const start = new TextDecoder('latin1').decode(decodeText(bytes.subarray(0, SNIFF_BYTES)));
  const isMarkup = /^\s*<(!doctype|html|head|body|\?xml|script|svg)/i.test(start);
  const content = match ?? (isMarkup ? 'a web page or XML' : undefined);
  if (!content) return;
  const message = `Could not read “${filename}”: the content is ${content}. Extract it or export it as a model first.`;
  throw new MeshError('FILE_MALFORMED', message);
}
