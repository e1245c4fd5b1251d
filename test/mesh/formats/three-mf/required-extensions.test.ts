import should from 'should';
import { parseModelSync } from '../../../../src/mesh/formats/parse-model.js';
import { meshOfBoxes, modelText } from '../helper-bodies/slicer-files.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { createZip } from '../zip/zip-bytes.js';

const MESH = meshOfBoxes([{ min: [0, 0, 0], max: [10, 10, 10] }]);
const MICROSOFT = 'http://schemas.microsoft.com/3dmanufacturing';
const CONSORTIUM = 'http://schemas.3mf.io/3dmanufacturing';

/** Reads a model that requires the extensions with these prefixes. `namespaces`: prefix → namespace. */
function read(required: string, namespaces: Record<string, string>, content = MESH) {
  const declarations = Object.entries(namespaces).map(([prefix, namespace]) => `xmlns:${prefix}="${namespace}"`);
  const attributes = `requiredextensions="${required}" ${declarations.join(' ')}`;
  const text = modelText(`<object id="1">${content}</object>`, '<item objectid="1"/>', attributes);
  return parseModelSync(createZip({ '3D/3dmodel.model': text }), { filename: 'a.3mf' });
}

describe('a 3MF that requires extensions', () => {
  for (const namespaces of [
    { p: `${MICROSOFT}/production/2015/06` },
    { m: `${MICROSOFT}/material/2015/02` },
    { x: `${MICROSOFT}/slice/2015/07` },
    { b: `${MICROSOFT}/beamlattice/2017/02`, b2: `${MICROSOFT}/beamlattice/balls/2020/07` },
    { t: `${MICROSOFT}/trianglesets/2021/07` },
    { slic3rpe: 'http://schemas.slic3r.org/3mf/2017/06' },
  ] as Record<string, string>[])
    it(`is read: ${JSON.stringify(namespaces)}`, () => {
      const { mesh, warnings } = read(Object.keys(namespaces).join(' '), namespaces);
      should(mesh.triangles.length).equal(36);
      should(warnings).be.empty();
    });

  for (const [namespace, name] of [
    [`${CONSORTIUM}/booleanoperations/2023/07`, 'boolean operations'],
    [`${CONSORTIUM}/volumetric/2022/01`, 'volumetric'],
    [`${CONSORTIUM}/implicit/2023/12`, 'implicit'],
    [`${CONSORTIUM}/displacement/2023/10`, 'displacement'],
    [`${MICROSOFT}/displacement/2022/07`, 'displacement'],
    [`${MICROSOFT}/production/alternatives/2021/04`, 'alternatives'],
    [`${CONSORTIUM}/toolpath/2026/01`, `${CONSORTIUM}/toolpath/2026/01`],
    ['http://example.com/constructor', 'http://example.com/constructor'],
  ] as const)
    it(`is refused by the name of the extension, whatever its prefix: ${name}`, () => {
      for (const prefix of ['x', 'p']) {
        const error = meshErrorOf(() =>
          read(` m  ${prefix} `, { m: `${MICROSOFT}/material/2015/02`, [prefix]: namespace }),
        );
        should(error.code).equal('EXTENSION_UNSUPPORTED');
        should(error.message).containEql(`“${name}”`);
      }
    });

  it('is refused as encrypted if it is secure content', () => {
    const error = meshErrorOf(() => read('sc', { sc: `${MICROSOFT}/securecontent/2019/04` }));
    should(error).match({ code: 'FILE_ENCRYPTED', message: /“secure content”/ });
  });

  it('may leave out the namespaces of usual prefixes, but no others', () => {
    should(read('p m', {}).mesh.triangles.length).equal(36);
    should(meshErrorOf(() => read('bo', {})).message).containEql('boolean operations');
    should(meshErrorOf(() => read('xy', {})).message).containEql('“xy”');
  });

  it('is read if it only recommends them or declares their namespaces', () => {
    should(read('', { bo: `${CONSORTIUM}/booleanoperations/2023/07` }).mesh.triangles.length).equal(36);
  });

  it('is refused also if it does not say so, by the shapes of its objects', () => {
    const error = meshErrorOf(() => read('', {}, '<booleanshape objectid="2"><boolean objectid="3"/></booleanshape>'));
    should(error).match({ code: 'EXTENSION_UNSUPPORTED', message: /“boolean operations”/ });
  });

  it('says that its beams are missing', () => {
    const mesh = MESH.replace('</mesh>', '<b:beamlattice/></mesh>');
    const { warnings } = read('b', { b: `${MICROSOFT}/beamlattice/2017/02` }, mesh);
    should(warnings.map(({ code }) => code)).deepEqual(['BEAMS_DROPPED']);
  });

  it('is refused if a part of another file requires them', () => {
    const inner = modelText(`<object id="1">${MESH}</object>`, '', 'requiredextensions="v"');
    const root = modelText(
      '<object id="2"><components><component p:path="/3D/inner.model" objectid="1"/></components></object>',
      '<item objectid="2"/>',
    );
    const archive = createZip({ '3D/3dmodel.model': root, '3D/inner.model': inner });
    should(meshErrorOf(() => parseModelSync(archive, { filename: 'a.3mf' })).message).containEql('volumetric');
  });
});
