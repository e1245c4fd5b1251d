import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import 'should';

const run = promisify(execFile);
const biome = path.resolve('node_modules/@biomejs/biome/bin/biome');

// Each is a mistake that the linter must refuse, and the rule that refuses it.
const MISTAKES = [
  {
    name: 'a promise that nobody holds (it would stop a whole Node-RED)',
    file: 'nodes/mistake.ts',
    code: 'const work = async () => 1;\nwork();\n',
    rule: 'noFloatingPromises',
  },
  {
    name: 'a promise where a condition is meant',
    file: 'nodes/mistake.ts',
    code: 'const work = async () => true;\nif (work()) console.log(1);\n',
    rule: 'noMisusedPromises',
  },
  {
    name: 'a package in the pure kernel',
    file: 'src/mesh/mistake.ts',
    code: "import fs from 'node:fs';\nconsole.log(fs);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'a package of the triangulation elsewhere in the kernel',
    file: 'src/mesh/geometry/mistake.ts',
    code: "import earcut from 'earcut';\nconsole.log(earcut);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'the library of previews elsewhere in the kernel',
    file: 'src/mesh/reduce/mistake.ts',
    code: "import { MeshoptSimplifier } from 'meshoptimizer/simplifier';\nconsole.log(MeshoptSimplifier);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'a library of a format in another format',
    file: 'src/mesh/formats/obj/mistake.ts',
    code: "import create from 'occt-import-js';\nconsole.log(create);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'a package that is no library of a format in a format with a library',
    file: 'src/mesh/formats/occt/mistake.ts',
    code: "import axios from 'axios';\nconsole.log(axios);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'a package of the service in the client',
    file: 'src/client/mistake.ts',
    code: "import fastify from 'fastify';\nconsole.log(fastify);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'a package of the service in the viewer',
    file: 'src/viewer/mistake.ts',
    code: "import fastify from 'fastify';\nconsole.log(fastify);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'the kernel in the viewer',
    file: 'src/viewer/scene/mistake.ts',
    code: "import { COLORS } from '../../mesh/rendering/shade.js';\nconsole.log(COLORS);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'the service in the page',
    file: 'src/web/views/mistake.ts',
    code: "import { LIMITS } from '../../service/defaults.js';\nconsole.log(LIMITS);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'a package in the page',
    file: 'src/web/mistake.ts',
    code: "import axios from 'axios';\nconsole.log(axios);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'axios in a node, past the client',
    file: 'nodes/mistake.ts',
    code: "import axios from 'axios';\nconsole.log(axios);\n",
    rule: 'noRestrictedImports',
  },
  {
    name: 'any import in the wire types',
    file: 'src/api/mistake.ts',
    code: "import fs from 'node:fs';\nconsole.log(fs);\n",
    rule: 'noRestrictedImports',
  },
];

/** Imports that point up the list of folders of the kernel, or sideways to a folder that must not be imported. */
const UPWARD_IMPORTS = [
  ['core', 'geometry'],
  ['geometry', 'topology'],
  ['topology', 'triangulation'],
  ['welding', 'topology'],
  ['triangulation', 'welding'],
  ['spatial', 'analysis'],
  ['intersections', 'isosurface'],
  ['editing', 'arrangement'],
  ['isosurface', 'editing'],
  ['arrangement', 'isosurface'],
  ['analysis', 'rounding'],
  ['rounding', 'repair'],
  ['hollow', 'reduce'],
  ['preview', 'rendering'],
  ['reduce', 'thickness'],
  ['rendering', 'formats'],
  ['repair', 'shrinkwrap'],
  ['scale', 'hollow'],
  ['shrinkwrap', 'repair'],
  ['thickness', 'rendering'],
] as const;

describe('the linter', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'lint-'));
    const config = JSON.parse(await readFile('biome.json', 'utf8'));
    await writeFile(path.join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }));
    await cp('tsconfig.base.json', path.join(folder, 'tsconfig.json'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const lint = async (file: string, code: string): Promise<string> => {
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
    await writeFile(path.join(folder, file), code);
    return run(process.execPath, [biome, 'lint', file], { cwd: folder }).then(
      () => 'accepted',
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    );
  };

  for (const { name, file, code, rule } of MISTAKES) {
    it(`refuses ${name}`, async () => {
      (await lint(file, code)).should.containEql(rule);
    });
  }

  for (const [source, target] of UPWARD_IMPORTS) {
    it(`refuses an import from ${target} in ${source} of the kernel`, async () => {
      const code = `import { mistake } from '../${target}/mistake.js';\nconsole.log(mistake);\n`;
      (await lint(`src/mesh/${source}/mistake.ts`, code)).should.containEql('noRestrictedImports');
    });
  }

  it('accepts an import down the list of folders of the kernel', async () => {
    const code = "import { bounds } from '../geometry/bounds.js';\nconsole.log(bounds);\n";
    (await lint('src/mesh/spatial/sound.ts', code)).should.equal('accepted');
  });

  it('accepts a file without a mistake', async () => {
    (await lint('nodes/sound.ts', 'export const answer = 42;\n')).should.equal('accepted');
  });
});
