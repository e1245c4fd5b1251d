import fc from 'fast-check';
import should from 'should';
import { MultipartReader, parseBoundary } from '../../../src/service/http/multipart-reader.js';

interface Part {
  headers: [string, string][];
  text: string;
}

function read(boundary: string, chunks: readonly Buffer[]): Part[] {
  const parts: Part[] = [];
  const reader = new MultipartReader(boundary, {
    onPart: (headers) => parts.push({ headers: [...headers], text: '' }),
    onData: (bytes) => {
      const part = parts.at(-1);
      if (!part) throw new Error('Data without a part.');
      part.text += bytes.toString('latin1');
    },
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return parts;
}

function split(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, offset) =>
    bytes.subarray(offset * size, (offset + 1) * size),
  );
}

const FILE_HEAD = 'Content-Disposition: form-data; filename="a.stl"';

describe('MultipartReader', () => {
  it('returns the parts and their headers for any chunk size', () => {
    const body = `--b\r\n${FILE_HEAD}\r\nX-Note:  2 \r\n\r\nsolid\r\n--b \t\r\n\r\nsecond\r\n--b--\r\n`;
    const parts = [
      {
        headers: [
          ['content-disposition', 'form-data; filename="a.stl"'],
          ['x-note', '2'],
        ],
        text: 'solid',
      },
      { headers: [], text: 'second' },
    ];
    for (let size = 1; size <= body.length; size++) should(read('b', split(body, size))).deepEqual(parts);
  });

  it('ignores the preamble and the epilogue', () => {
    const body = `This is a message.\r\n--b\r\n${FILE_HEAD}\r\n\r\nsolid\r\n--b--\r\nThe end\r\n--b\r\n`;
    for (const size of [1, 3, 1000])
      read('b', split(body, size))
        .map(({ text }) => text)
        .should.deepEqual(['solid']);
  });

  it('keeps every byte of a file, also partial boundaries', () => {
    const fragment = fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      '-',
      '--',
      '--edg',
      'edge',
      '\r\n--edg',
      '\r\n-',
      'x',
      '\u00ff',
    );
    const text = fc
      .array(fragment, { maxLength: 60 })
      .map((fragments) => fragments.join('').replaceAll('\r\n--edge', ''));
    const sizes = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(text, sizes, (content, size) => {
        fc.pre(!content.includes('\r\n--edge'));
        const body = `--edge\r\n${FILE_HEAD}\r\n\r\n${content}\r\n--edge--`;
        return read('edge', split(body, size))[0]?.text === content;
      }),
      { numRuns: 2000 },
    );
  });

  const INVALID = [
    ['that ends in a part', `--b\r\n${FILE_HEAD}\r\n\r\nsolid`, /closing boundary is missing/],
    ['that ends in the headers of a part', `--b\r\n${FILE_HEAD}`, /closing boundary is missing/],
    ['without the boundary', 'solid', /boundary does not occur/],
    ['that is empty', '', /boundary does not occur/],
    ['with a header without a name', '--b\r\n: x\r\n\r\nsolid\r\n--b--', /no name/],
    ['with endless headers', `--b\r\nX: ${'x'.repeat(20_000)}\r\n\r\nsolid\r\n--b--`, /too long/],
    [
      'with a longer boundary that starts with the boundary',
      `--b\r\n${FILE_HEAD}\r\n\r\nso\r\n--bb\r\n\r\nlid\r\n--b--`,
      /boundary line has extra characters/,
    ],
    [
      'with a Content-Transfer-Encoding',
      '--b\r\nContent-Transfer-Encoding: base64\r\n\r\nc29saWQ=\r\n--b--',
      /Content-Transfer-Encoding "base64" is not supported\. Send the file/,
    ],
  ] as const;
  for (const [what, body, message] of INVALID) {
    it(`throws MULTIPART_MALFORMED for a body ${what}`, () => {
      for (const size of [1, 1000, 100_000]) {
        should(() => read('b', split(body, size))).throw({ code: 'MULTIPART_MALFORMED', message });
      }
    });
  }

  it('parses the boundary of a Content-Type, quoted or not', () => {
    parseBoundary('multipart/form-data; boundary=abc').should.equal('abc');
    parseBoundary('multipart/form-data; charset=utf-8; Boundary="a b"; x=y').should.equal('a b');
    should(() => parseBoundary('multipart/form-data')).throw({ code: 'MULTIPART_MALFORMED' });
  });
});
