import { gzipSync } from 'node:zlib';
import should from 'should';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { readContent } from '../../../../src/mesh/formats/recognition/content.js';
import { findFormat } from '../../../../src/mesh/formats/recognition/find-format.js';
import { recognizeForeignContent } from '../../../../src/mesh/formats/recognition/foreign-content.js';
import { IMPORT_FORMATS } from '../../../../src/mesh/formats/registry.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { BUILT_IN_FILES } from '../../../fuzz/built-in-files.js';
import { makeCube } from '../../models/cube.js';
import { LIBRARY_FILES } from '../files/library-files.js';
import { measureFile } from '../measure-file.js';
import { meshErrorOf, rejectionOf } from '../mesh-error-of.js';
import { binaryStl, TWO_FACETS } from '../stl/stl-bytes.js';
import { createZip } from '../zip/zip-bytes.js';

function serializeCube(format: string): Buffer {
  return Buffer.concat([...serializeModel(makeCube(), format)]);
}
function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
function toUtf16(bytes: Buffer): Buffer {
  return Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le');
}
async function readAs(filename: string, bytes: Uint8Array) {
  const { mesh, warnings } = await parseModel(bytes, { filename });
  return { triangles: mesh.triangles.length / 3, warnings };
}

describe('findFormat', () => {
  it('finds the format of every kind of file without its extension', async () => {
    const builtIn = Object.values(BUILT_IN_FILES).map((make) => {
      const { filename, bytes, wrap } = make();
      return [filename, wrap ? wrap(bytes) : bytes] as const;
    });
    const byLibrary = Object.entries(LIBRARY_FILES).map(async ([filename, make]) => [filename, await make()] as const);
    for (const [filename, bytes] of [...builtIn, ...(await Promise.all(byLibrary))]) {
      const { format } = findFormat(bytes, filename);
      const { id } = findFormat(bytes, 'model').format;
      // An archive is opened as such, and then its entry is read.
      should(format.archivedExtension !== undefined && id === 'zip' ? format.id : id).equal(format.id, filename);
    }
  });

  it('prefers the format of the extension', () => {
    const stl = binaryStl(TWO_FACETS, 2, 'ply\nformat ascii 1.0');
    findFormat(stl, 'a.stl').should.match({ format: { id: 'stl' }, warnings: [] });
    for (const header of ['PK\u0003\u0004', '%PDF-1.4', '<html>', 'solid', 'OFF 8 6 0'])
      findFormat(binaryStl(TWO_FACETS, 2, header), 'a.STL').should.match({ format: { id: 'stl' }, warnings: [] });
  });

  it('leaves content that nothing recognizes to the extension', () => {
    const contents = { 'a.off': '3 1 0\n0 0 0', 'a.obj': 'vertices', 'a.stl': '\0\x01\x02\x03', 'a.x3d': 'x' };
    for (const [filename, content] of Object.entries(contents))
      findFormat(Buffer.from(content), filename).should.match({
        format: { extensions: [filename.slice(2)] },
        warnings: [],
      });
  });
});

describe('a file with the extension of another format', () => {
  it('is read by its content, with a warning', async () => {
    for (const [format, label] of [
      ['stl', 'an STL file'],
      ['stl-ascii', 'an STL file'],
      ['obj', 'an OBJ file'],
      ['ply', 'a PLY file'],
      ['off', 'an OFF file'],
      ['3mf', 'a 3MF file'],
      ['amf', 'an AMF file'],
      ['glb', 'a GLB file'],
    ] as const)
      for (const extension of [
        '.stl',
        '.OBJ',
        '.ply',
        '.3mf',
        '.zip',
        '.gltf',
        '.dae',
        '.step',
        '.x3d',
        '.bin',
        '.3mf.txt',
      ])
        if (!extension.toLowerCase().startsWith(`.${format.slice(0, 3)}`) || extension.length > 4) {
          const { triangles, warnings } = await readAs(`cube${extension}`, serializeCube(format));
          triangles.should.equal(12, `${format} ${extension}`);
          const message = `This is ${label} named .${extension.split('.').at(-1)}; it was read by its content.`;
          warnings.should.containEql({ code: 'EXTENSION_WRONG', message });
        }
  });

  it('is read without an extension', async () => {
    const { warnings } = await readAs('cube', serializeCube('stl'));
    warnings.should.match([{ message: 'This is an STL file without an extension; it was read by its content.' }]);
  });

  it('is read if it is UTF-16, begins with comments or blank lines, or is damaged', async () => {
    const obj = serializeCube('obj');
    const stl = serializeCube('stl');
    for (const bytes of [
      toUtf16(obj),
      Buffer.concat([Buffer.from('\n# solid\r\n\r\n'), obj]),
      Buffer.concat([Buffer.from('\ufeff\n'), serializeCube('stl-ascii')]),
      Buffer.concat([Buffer.from('# a\n\n# b\n'), serializeCube('off')]),
      Buffer.concat([
        Buffer.from('<?xml version="1.0"?>\n<!-- <html> -->\n<!DOCTYPE amf>\n'),
        serializeCube('amf').subarray(39),
      ]),
      Buffer.concat([stl, Buffer.from('trailing')]),
      Buffer.concat([stl, stl.subarray(84, 84 + 49)]),
    ])
      (await readAs('cube.ply', bytes)).triangles.should.equal(12);
    (await readAs('cube.ply', stl.subarray(0, 84 + 5 * 50))).triangles.should.equal(5);
  });

  it('has the units of its content', async () => {
    const inches = { measurementUnits: 'inch' } as const;
    (await measureFile(serializeCube('3mf'), 'a.stl', inches)).box.should.deepEqual(
      (await measureFile(serializeCube('3mf'), 'a.3mf')).box,
    );
    const { isUnitStated } = await parseModel(serializeCube('stl'), { filename: 'a.3mf', ...inches });
    isUnitStated.should.be.false();
  });

  it('is read in a ZIP, and so are archives with another extension', async () => {
    const zipped = createZip({ 'cube.obj': serializeCube('stl') });
    for (const filename of ['model.zip', 'model.stl', 'model.3mf', 'model.amf'])
      (await readAs(filename, zipped)).warnings.should.containEql({
        code: 'EXTENSION_WRONG',
        message: 'This is an STL file named .obj; it was read by its content.',
      });
    (
      await readAs('model.kmz', createZip({ 'doc.kml': '<kml/>', 'models/a.off': serializeCube('off') }))
    ).triangles.should.equal(12);
  });

  it('is named in the error if its content is damaged', async () => {
    const { message, code } = await rejectionOf(readAs('a.obj', Buffer.from('ply\nformat ascii 1.0\n')));
    code.should.equal('FILE_MALFORMED');
    message.should.equal(
      'Could not read “a.obj”. This is a PLY file named .obj; it was read by its content. Invalid PLY: the header has no end_header.',
    );
  });
});

describe('a file that is not a model', () => {
  const KINDS: Record<string, Uint8Array> = {
    'a gzip archive': gzipSync(serializeCube('stl')),
    'a 7z archive': latin1('7z\xbc\xaf\x27\x1c\0\x04'),
    'a RAR archive': latin1('Rar!\x1a\x07\x01\0'),
    'a tar archive': Buffer.concat([latin1('cube.stl'.padEnd(257, '\0')), latin1('ustar\0')]),
    'a PDF': latin1('%PDF-1.7\n%\xe2\xe3'),
    'a PNG image': latin1('\x89PNG\r\n\x1a\n'),
    'a JPEG image': latin1('\xff\xd8\xff\xe0\0\x10JFIF'),
    'a Blender file': latin1('BLENDER-v300'),
    'a SketchUp file': latin1('\xff\xfe\xff\x0eS\0k\0e\0t\0c\0h\0U\0p\0 \0M\0o\0d\0e\0l\0'),
    'a DWG drawing': latin1('AC1032\0\0'),
    'a DXF drawing': latin1('  0\r\nSECTION\r\n  2\r\nHEADER'),
    'a document of Microsoft Office': latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0'),
    'G-code': latin1('; generated by PrusaSlicer\nM104 S215\nG28 ; home\nG1 X1.5 Y2 E0.1\n'),
    'binary G-code': latin1('GCDE\x01\0\0\0'),
    'a pointer of Git LFS': latin1('version https://git-lfs.github.com/spec/v1\noid sha256:0\n'),
    'a hidden file of macOS': latin1('\0\x05\x16\x07\0\x02\0\0Mac OS X'),
    'a material library': latin1('# Blender MTL\nnewmtl red\nKd 1 0 0\n'),
    'a web page': latin1('\r\n<!-- saved -->\n<HTML lang="en"><head>solid facet</head></HTML>'),
    'an SVG image': latin1('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'XML with the root element “Document”': latin1('<?xml version="1.0"?><Document SchemaVersion="4"/>'),
    JSON: latin1('{"error": "not found"}'),
    'zero bytes': Buffer.alloc(4096),
  };
  for (const [name, bytes] of Object.entries(KINDS))
    it(`is named: ${name}`, () => {
      for (const filename of ['a.stl', 'a.obj', 'a.ply', 'a.3mf', 'a.step', 'a.dae', 'a.zip', 'a.glb', 'a']) {
        const { code, message } = meshErrorOf(() => findFormat(bytes, filename));
        code.should.equal('FILE_MALFORMED');
        message.should.startWith(`Could not read “${filename}”: it is ${name}`);
        message.should.match(/, not a model\. [A-Z].*\.$/);
      }
    });

  it('is named if it is text named .stl', async () => {
    for (const text of ['404: Not Found', 'A model of a cube.\n'.repeat(10), 'Möbel']) {
      (await rejectionOf(readAs('a.stl', Buffer.from(text)))).should.match({
        code: 'FILE_MALFORMED',
        message: 'Invalid STL: it is text without facets. Export the model again.',
      });
    }
  });

  it('is named if it is any G-code', () => {
    for (const text of ['G28 X Y\n', ';FLAVOR:Marlin\nM140 S60\n', 'N10 G21\n', '; a\r\nG1 F1200\r\n', '; a\nM83\n'])
      meshErrorOf(() => findFormat(latin1(text), 'a.stl')).message.should.containEql('it is G-code');
  });

  it('is named if it is text with the extension of a binary format or an archive', () => {
    for (const text of ['404: Not Found', 'A model of a cube.\n'.repeat(10), 'Möbel'])
      for (const [extension, label] of [
        ['3mf', 'a 3MF file'],
        ['zip', 'a ZIP archive'],
      ] as const) {
        const { code, message } = meshErrorOf(() => findFormat(Buffer.from(text), `a.${extension}`));
        code.should.equal('FILE_MALFORMED');
        message.should.equal(`Could not read “a.${extension}”: it is text, but not ${label}. Export the model again.`);
      }
  });

  it('does not look like its format if nothing in it can be read', async () => {
    const { message } = await rejectionOf(readAs('a.obj', Buffer.from('404: Not Found')));
    message.should.equal('Could not read “a.obj”: it contains no triangles. It does not look like an OBJ file.');
  });

  it('is an archive in an archive', async () => {
    const zip = createZip({ 'cube.obj': serializeCube('obj') });
    const { code, message } = await rejectionOf(readAs('a.zip', createZip({ 'cube.stl': zip })));
    code.should.equal('FILE_MALFORMED');
    message.should.containEql('“cube.stl”: it is an archive in another one. Extract it first.');
  });

  it('is bounded, whatever the content begins with', () => {
    const pieces = [
      '<!--',
      '-->',
      '<?',
      '?>',
      '<!doctype [',
      ']>',
      '#\n',
      'OFF',
      '{"',
      ' ',
      '\n',
      'G',
      '999 \n',
      '/*',
      '*/',
    ];
    for (const piece of pieces)
      for (const other of pieces) {
        const bytes = Buffer.from((piece + other).repeat(20_000));
        const content = readContent(bytes);
        IMPORT_FORMATS.filter(({ recognizes }) => recognizes?.(content)).length.should.be.below(2);
        should(recognizeForeignContent(content)?.name).not.equal('');
      }
  });

  it('has no extension that is known', () => {
    should(IMPORT_FORMATS.every(({ recognizes, archivedExtension }) => recognizes ?? archivedExtension)).be.ok();
  });
});
