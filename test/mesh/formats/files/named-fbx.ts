import { type FbxNode, serializeFbx } from './binary-fbx.js';
import { BOX_FACES, BOX_POINTS_Y_UP } from './box.js';

/** A model of FBX 6: its name, the numbers of its properties, and its parent. */
export interface NamedModel {
  name: string;
  properties?: Record<string, readonly number[]>;
  /** Default: the scene. */
  parent?: string;
  hasGeometry?: boolean;
}

const CORNERS = BOX_FACES.flatMap(([a, b, c, d]) => [a, b, c, -d - 1]);
const LID: NamedModel = { name: 'lid', hasGeometry: true };

function modelText({ name, properties = {}, hasGeometry }: NamedModel): string {
  const lines = Object.entries(properties).map(
    ([key, numbers]) => `Property: "${key}", "${key}", "A",${numbers.join()}`,
  );
  const [vertices, more] = [BOX_POINTS_Y_UP.flat().slice(0, 7), BOX_POINTS_Y_UP.flat().slice(7)];
  const geometry = `    Vertices: ${vertices.join()}\n      ,${more.join()}\n    PolygonVertexIndex: ${CORNERS.join()}`;
  return `  Model: "Model::${name}", "Mesh" {
    Version: 232
    Properties60:  {
      ${lines.join('\n      ')}
    }
    Shading: T
${hasGeometry ? geometry : ''}
  }`;
}

/** Returns an ASCII FBX 6.1 of models with the box, in inches. */
export function namedFbxText(models: readonly NamedModel[] = [LID], more = ''): Buffer {
  const connections = models.map(
    ({ name, parent = 'Scene' }) => `  Connect: "OO", "Model::${name}", "Model::${parent}"`,
  );
  return Buffer.from(`; FBX 6.1.0 project file
FBXHeaderExtension:  {
  FBXHeaderVersion: 1003
  FBXVersion: 6100
}
Definitions:  {
  ObjectType: "GlobalSettings" {
    Count: 1
  }
}
Objects:  {
${models.map(modelText).join('\n')}
${more}
  GlobalSettings:  {
    Properties60:  {
      Property: "UnitScaleFactor", "double", "",2.54
    }
  }
}
;Object connections
Connections:  {
${connections.join('\n')}
}
`);
}

/** Returns a binary FBX 6.1 of the box in inches. */
export function namedFbxBinary(): Buffer {
  const numbers = (values: readonly number[]) => values.map((double) => ({ double }));
  const unit = ['UnitScaleFactor', 'double', '', { double: 2.54 }];
  const objects: FbxNode[] = [
    {
      name: 'Model',
      properties: ['lid\0\x01Model', 'Mesh'],
      children: [
        { name: 'Vertices', properties: numbers(BOX_POINTS_Y_UP.flat()) },
        { name: 'PolygonVertexIndex', properties: CORNERS.map((int) => ({ int })) },
      ],
    },
    {
      name: 'GlobalSettings',
      children: [{ name: 'Properties60', children: [{ name: 'Property', properties: unit }] }],
    },
  ];
  const connection = ['OO', 'lid\0\x01Model', 'Scene\0\x01Model'];
  const roots: FbxNode[] = [
    { name: 'FBXHeaderExtension', children: [{ name: 'FBXVersion', properties: [{ int: 6100 }] }] },
    { name: 'Objects', children: objects },
    { name: 'Connections', children: [{ name: 'Connect', properties: connection }] },
  ];
  return serializeFbx(roots, { version: 6100 });
}
