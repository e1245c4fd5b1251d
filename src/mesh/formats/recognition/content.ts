import { decodeText } from '../text/decode-text.js';

const START_BYTES = 1 << 16;

/** The content of a file, from which its format is recognized. */
export interface Content {
  bytes: Uint8Array;
  /** Its first 64 KiB as Latin-1, without a byte order mark and leading white space; UTF-16 is converted first. */
  start: string;
}

/** Returns the content of a file. */
export function readContent(bytes: Uint8Array): Content {
  const start = new TextDecoder('latin1').decode(decodeText(bytes.subarray(0, START_BYTES)));
  return { bytes, start: start.trimStart() };
}

/** Returns whether the start of the content has no control characters that text does not contain. */
export function isText({ start }: Content): boolean {
  return !/[^\t\n\v\f\r\x20-\xff]/.test(start);
}

/** Matches what may precede the root element of XML, piece by piece. */
const PROLOG = /\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype[^>[]*(?:\[[^\]]*\]\s*)?>/iy;
const ROOT = /<(?:[\w.-]+:)?([\w.-]+)[\s/>]/y;

/** Returns the name of the root element without its prefix, or `undefined` if the content is not XML. */
export function findXmlRoot({ start }: Content): string | undefined {
  let offset = 0;
  for (PROLOG.lastIndex = 0; PROLOG.test(start); ) offset = PROLOG.lastIndex;
  ROOT.lastIndex = offset;
  return ROOT.exec(start)?.[1];
}
