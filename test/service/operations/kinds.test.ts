import { build } from 'esbuild';
import should from 'should';
import { OPEN_API } from '../../../src/service/http/openapi.js';
import { OPERATION_KINDS } from '../../../src/service/operations/kinds.js';
import { readParameters } from '../../../src/service/operations/parameters.js';

describe('OPERATION_KINDS', () => {
  it('propose values that the service accepts and keeps', () => {
    for (const { parameters } of OPERATION_KINDS) {
      const proposed = Object.fromEntries(
        Object.entries(parameters).flatMap(([name, { proposed: value }]) =>
          value === undefined ? [] : [[name, value]],
        ),
      );
      readParameters(parameters, proposed).should.deepEqual(proposed);
    }
  });

  it('propose the default of a parameter that has one', () => {
    const withDefault = OPERATION_KINDS.flatMap(({ parameters }) => Object.values(parameters)).filter(
      (parameter) => parameter.default !== undefined,
    );
    should(withDefault.length).be.above(0);
    for (const { default: value, proposed } of withDefault) should(proposed).equal(value);
  });

  it('have schemas for all replies that /openapi.json refers to', () => {
    const schemas = Object.keys(Object(OPEN_API.components).schemas);
    const references = [...JSON.stringify(OPEN_API).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    for (const [, name] of references) schemas.should.containEql(name);
  });

  it('load no operation and no analysis of the kernel into the service process', async () => {
    const { metafile } = await build({
      entryPoints: ['src/cli.ts'],
      bundle: true,
      platform: 'node',
      packages: 'external',
      write: false,
      format: 'esm',
      metafile: true,
    });
    const isKernel = (file: string) => /^src\/(mesh|service\/jobs)\//.test(file);
    // The records of the formats, with their built-in readers and what these need. They run in kernel processes only.
    const canLoad = (file: string) => /^src\/mesh\/(formats|topology|triangulation|welding|geometry|core)\//.test(file);
    should(Object.keys(metafile.inputs).filter((file) => isKernel(file) && !canLoad(file))).deepEqual([]);
  });
});
