const CONTROL = /\\\\|\\X2\\((?:[0-9A-F]{4})+)\\X0\\|\\X4\\((?:[0-9A-F]{8})+)\\X0\\|\\X\\([0-9A-F]{2})|\\S\\(.)/gi;
const MAX_CODE_POINT = 0x10ffff;

/** Decodes the control directives in a string (ISO 10303-21, 6.4.3): UTF-16, UTF-32 and Latin-1. */
export function decodeStepString(text: string): string {
  return text.replace(CONTROL, (match, utf16?: string, utf32?: string, latin1?: string, shifted?: string) => {
    if (utf16 !== undefined) return fromHex(utf16, 4, (code) => String.fromCharCode(code));
    if (utf32 !== undefined)
      return fromHex(utf32, 8, (code) => (code <= MAX_CODE_POINT ? String.fromCodePoint(code) : '\ufffd'));
    if (latin1 !== undefined) return String.fromCharCode(Number.parseInt(latin1, 16));
    return shifted === undefined ? match.slice(1) : String.fromCharCode(shifted.charCodeAt(0) + 0x80);
  });
}

function fromHex(digits: string, width: number, toText: (code: number) => string): string {
  let text = '';
  for (let i = 0; i < digits.length; i += width) text += toText(Number.parseInt(digits.slice(i, i + width), 16));
  return text;
}
