import 'should';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

function parseX3d(scene: string) {
  return parseOwn(Buffer.from(`<X3D version="3.3"><Scene>${scene}</Scene></X3D>`), { filename: 'a.x3d' });
}
function parseVrml(text: string) {
  return parseOwn(Buffer.from(`#VRML V2.0 utf8\n${text}`), { filename: 'a.wrl' });
}
type Parsed = ReturnType<typeof parseX3d>;

/** Returns the center and size of each box of 12 triangles, in meters with Y up, and the codes of the warnings. */
function boxesOf({ mesh, warnings }: Parsed) {
  const boxes: string[] = [];
  for (let offset = 0; offset < mesh.triangles.length; offset += 36) {
    const vertices = [...mesh.triangles.subarray(offset, offset + 36)];
    const sides = [0, 2, 1].map((axis) => {
      const values = vertices.map((vertex) => (mesh.positions[vertex * 3 + axis] ?? Number.NaN) / 1000);
      const [min, max] = [Math.min(...values), Math.max(...values)];
      return [Math.round((max + min) * 500) / 1000, Math.round((max - min) * 1000) / 1000];
    });
    boxes.push(`${sides.map(([center = 0]) => center + 0).join(' ')}: ${sides.map(([, size]) => size).join(' ')}`);
  }
  return { boxes, warnings: warnings.map(({ code }) => code) };
}

const BRICK_X3D = `<ProtoDeclare name="Brick"><ProtoInterface>
  <field name="size" accessType="initializeOnly" type="SFVec3f" value="1 1 1"/>
  <field name="at" accessType="inputOutput" type="SFVec3f"/>
  </ProtoInterface><ProtoBody><Transform><IS><connect nodeField="translation" protoField="at"/></IS>
  <Shape><Box><IS><connect nodeField="size" protoField="size"/></IS></Box></Shape></Transform></ProtoBody></ProtoDeclare>`;
const BRICK_VRML = `PROTO Brick [ field SFVec3f size 1 1 1 exposedField SFVec3f at 0 0 0 eventIn SFBool set ] {
  Transform { translation IS at children Shape { geometry Box { size IS size } } } }`;

/** What is written in both encodings → the boxes that it means. */
const SCENES: Record<string, { x3d: string; vrml: string; boxes: string[] }> = {
  'the defaults of fields': {
    x3d: `${BRICK_X3D}<ProtoInstance name="Brick"/>`,
    vrml: `${BRICK_VRML} Brick { }`,
    boxes: ['0 0 0: 1 1 1'],
  },
  'several instances with values of their own': {
    x3d: `${BRICK_X3D}<ProtoInstance name="Brick"><fieldValue name="size" value="2 1 1"/></ProtoInstance>
      <Transform translation="0 5 0"><ProtoInstance name="Brick"><fieldValue name="at" value="1 0 0"/></ProtoInstance></Transform>`,
    vrml: `${BRICK_VRML} Brick { size 2 1 1 } Transform { translation 0 5 0 children [ Brick { at 1 0 0 } ] }`,
    boxes: ['0 0 0: 2 1 1', '1 5 0: 1 1 1'],
  },
  'an instance that is used again': {
    x3d: `${BRICK_X3D}<ProtoInstance name="Brick" DEF="b"/><Transform translation="3 0 0"><ProtoInstance USE="b"/></Transform>`,
    vrml: `${BRICK_VRML} DEF b Brick { } Transform { translation 3 0 0 children USE b }`,
    boxes: ['0 0 0: 1 1 1', '3 0 0: 1 1 1'],
  },
  'fields that contain nodes, with a default': {
    x3d: `<ProtoDeclare name="Pair"><ProtoInterface>
      <field name="geom" accessType="initializeOnly" type="SFNode"><Box size="1 1 1"/></field>
      <field name="more" accessType="inputOutput" type="MFNode"/></ProtoInterface>
      <ProtoBody><Group><IS><connect nodeField="children" protoField="more"/></IS>
      <Shape><IS><connect nodeField="geometry" protoField="geom"/></IS></Shape></Group></ProtoBody></ProtoDeclare>
      <ProtoInstance name="Pair"><fieldValue name="more"><Transform translation="3 0 0"><Shape><Box size="1 1 2"/></Shape></Transform></fieldValue></ProtoInstance>
      <Transform translation="0 9 0"><ProtoInstance name="Pair"><fieldValue name="geom"><Box size="4 1 1"/></fieldValue></ProtoInstance></Transform>`,
    vrml: `PROTO Pair [ field SFNode geom Box { size 1 1 1 } exposedField MFNode more [ ] ] {
        Group { children IS more children [ Shape { geometry IS geom } ] } }
      Pair { more [ Transform { translation 3 0 0 children Shape { geometry Box { size 1 1 2 } } } ] }
      Transform { translation 0 9 0 children Pair { geom Box { size 4 1 1 } } }`,
    boxes: ['0 0 0: 1 1 1', '3 0 0: 1 1 2', '0 9 0: 4 1 1'],
  },
  'prototypes in prototypes, through which a field passes': {
    x3d: `${BRICK_X3D}<ProtoDeclare name="Wall"><ProtoInterface><field name="brick" accessType="initializeOnly" type="SFVec3f" value="3 1 1"/></ProtoInterface>
      <ProtoBody><Group><ProtoInstance name="Brick"><IS><connect nodeField="size" protoField="brick"/></IS></ProtoInstance>
      <ProtoInstance name="Brick"><fieldValue name="at" value="0 2 0"/></ProtoInstance></Group></ProtoBody></ProtoDeclare>
      <ProtoInstance name="Wall"/><Transform translation="9 0 0"><ProtoInstance name="Wall"><fieldValue name="brick" value="5 1 1"/></ProtoInstance></Transform>`,
    vrml: `${BRICK_VRML} PROTO Wall [ field SFVec3f brick 3 1 1 ] { Group { children [ Brick { size IS brick } Brick { at 0 2 0 } ] } }
      Wall { } Transform { translation 9 0 0 children Wall { brick 5 1 1 } }`,
    boxes: ['0 0 0: 3 1 1', '0 2 0: 1 1 1', '9 0 0: 5 1 1', '9 2 0: 1 1 1'],
  },
  'a prototype that is declared in the body of another': {
    x3d: `<ProtoDeclare name="Outer"><ProtoBody><Group>${BRICK_X3D}<ProtoInstance name="Brick"/></Group></ProtoBody></ProtoDeclare>
      <ProtoInstance name="Outer"/>`,
    vrml: `PROTO Outer [ ] { ${BRICK_VRML} Group { children Brick { } } } Outer { }`,
    boxes: ['0 0 0: 1 1 1'],
  },
  'nodes that the body uses again, for each instance its own': {
    x3d: `<ProtoDeclare name="Two"><ProtoInterface><field name="size" accessType="initializeOnly" type="SFVec3f" value="1 1 1"/></ProtoInterface>
      <ProtoBody><Group><Shape DEF="s"><Box><IS><connect nodeField="size" protoField="size"/></IS></Box></Shape>
      <Transform translation="0 3 0"><Shape USE="s"/></Transform></Group></ProtoBody></ProtoDeclare>
      <ProtoInstance name="Two"/><Transform translation="5 0 0"><ProtoInstance name="Two"><fieldValue name="size" value="2 2 2"/></ProtoInstance></Transform>`,
    vrml: `PROTO Two [ field SFVec3f size 1 1 1 ] { Group { children [ DEF s Shape { geometry Box { size IS size } }
      Transform { translation 0 3 0 children USE s } ] } }
      Two { } Transform { translation 5 0 0 children Two { size 2 2 2 } }`,
    boxes: ['0 0 0: 1 1 1', '0 3 0: 1 1 1', '5 0 0: 2 2 2', '5 3 0: 2 2 2'],
  },
  'only the first node of a body': {
    x3d: `<ProtoDeclare name="A"><ProtoBody><Shape><Box size="1 1 1"/></Shape><Shape><Box size="9 9 9"/></Shape><ROUTE/></ProtoBody></ProtoDeclare><ProtoInstance name="A"/>`,
    vrml: 'PROTO A [ ] { Shape { geometry Box { size 1 1 1 } } Shape { geometry Box { size 9 9 9 } } } A { }',
    boxes: ['0 0 0: 1 1 1'],
  },
  'no prototype without an instance': {
    x3d: `${BRICK_X3D}<Shape><Box size="2 2 2"/></Shape>`,
    vrml: `${BRICK_VRML} Shape { geometry Box { size 2 2 2 } }`,
    boxes: ['0 0 0: 2 2 2'],
  },
  'an instance as a geometry, and the choice of a Switch': {
    x3d: `<ProtoDeclare name="G"><ProtoInterface><field name="n" accessType="initializeOnly" type="SFInt32" value="0"/></ProtoInterface>
      <ProtoBody><Switch><IS><connect nodeField="whichChoice" protoField="n"/></IS><Shape><Box size="1 1 1"/></Shape><Shape><Box size="1 1 2"/></Shape></Switch></ProtoBody></ProtoDeclare>
      <ProtoDeclare name="B"><ProtoBody><Box size="1 1 3"/></ProtoBody></ProtoDeclare>
      <ProtoInstance name="G"><fieldValue name="n" value="1"/></ProtoInstance>
      <Transform translation="9 0 0"><Shape><ProtoInstance name="B" containerField="geometry"/></Shape></Transform>`,
    vrml: `PROTO G [ field SFInt32 n 0 ] { Switch { whichChoice IS n choice [ Shape { geometry Box { size 1 1 1 } } Shape { geometry Box { size 1 1 2 } } ] } }
      PROTO B [ ] { Box { size 1 1 3 } }
      G { n 1 } Transform { translation 9 0 0 children Shape { geometry B { } } }`,
    boxes: ['0 0 0: 1 1 2', '9 0 0: 1 1 3'],
  },
  'an instance in a field of another': {
    x3d: `${BRICK_X3D}<ProtoDeclare name="Frame"><ProtoInterface><field name="kids" accessType="inputOutput" type="MFNode"/></ProtoInterface>
      <ProtoBody><Transform translation="0 1 0"><IS><connect nodeField="children" protoField="kids"/></IS></Transform></ProtoBody></ProtoDeclare>
      <ProtoInstance name="Frame"><fieldValue name="kids"><ProtoInstance name="Brick"/><ProtoInstance name="Frame"><fieldValue name="kids"><ProtoInstance name="Brick"/></fieldValue></ProtoInstance></fieldValue></ProtoInstance>`,
    vrml: `${BRICK_VRML} PROTO Frame [ exposedField MFNode kids [ ] ] { Transform { translation 0 1 0 children IS kids } }
      Frame { kids [ Brick { } Frame { kids Brick { } } ] }`,
    boxes: ['0 1 0: 1 1 1', '0 2 0: 1 1 1'],
  },
};

describe('prototypes', () => {
  for (const [name, { x3d, vrml, boxes }] of Object.entries(SCENES)) {
    it(`show ${name}`, () => {
      boxesOf(parseX3d(x3d)).should.deepEqual({ boxes, warnings: [] });
      boxesOf(parseVrml(vrml)).should.deepEqual({ boxes, warnings: [] });
    });
  }

  it('have fields that are Booleans or points', () => {
    const x3d = `<ProtoDeclare name="Tube"><ProtoInterface><field name="lid" accessType="initializeOnly" type="SFBool" value="true"/></ProtoInterface>
      <ProtoBody><Shape><Cylinder><IS><connect nodeField="top" protoField="lid"/></IS></Cylinder></Shape></ProtoBody></ProtoDeclare>`;
    const vrml = 'PROTO Tube [ field SFBool lid TRUE ] { Shape { geometry Cylinder { top IS lid } } }';
    const closed = parseX3d(`${x3d}<ProtoInstance name="Tube"/>`).mesh.triangles.length;
    const open = parseX3d(`${x3d}<ProtoInstance name="Tube"><fieldValue name="lid" value="false"/></ProtoInstance>`);
    open.mesh.triangles.length.should.equal(closed - 62 * 3);
    parseVrml(`${vrml} Tube { }`).mesh.triangles.length.should.equal(closed);
    parseVrml(`${vrml} Tube { lid FALSE }`).mesh.triangles.length.should.equal(closed - 62 * 3);
    const points = `PROTO Sheet [ field MFVec3f at [0 0 0, 1 0 0, 0 1 0] field MFInt32 of [0 1 2] ] {
      Shape { geometry IndexedFaceSet { coordIndex IS of coord Coordinate { point IS at } } } }`;
    parseVrml(`${points} Sheet { at [0 0 0, 2 0 0, 0 2 0, 2 2 0] of [0 1 3 2] }`).mesh.triangles.length.should.equal(6);
  });

  it('give their names to objects', () => {
    const { mesh } = parseX3d(
      `${BRICK_X3D}<ProtoInstance name="Brick" DEF="left"/><ProtoInstance name="Brick" DEF="right"><fieldValue name="at" value="4 0 0"/></ProtoInstance>`,
    );
    (mesh.objects ?? []).map(({ name }) => name).should.deepEqual(['left', 'right']);
  });

  it('in other files are refused by name, or named in a warning beside other geometry', () => {
    const x3d =
      '<ExternProtoDeclare name="Brick" url="\'a.x3d#Brick\'"><field name="size" accessType="inputOutput" type="SFVec3f"/></ExternProtoDeclare><ProtoInstance name="Brick"/>';
    const vrml =
      'EXTERNPROTO Brick [ field SFVec3f size exposedField MFNode kids ] [ "a.wrl" "b.wrl#Brick" ] Brick { size 1 2 3 kids [ Shape { geometry Box { } } ] }';
    meshErrorOf(() => parseX3d(x3d)).should.match({
      code: 'FILE_EMPTY',
      message: /does not contain were skipped: Brick\./,
    });
    meshErrorOf(() => parseVrml(vrml)).should.match({
      code: 'FILE_EMPTY',
      message: /does not contain were skipped: Brick\./,
    });
    const box = ['0 0 0: 2 2 2'];
    boxesOf(parseX3d(`${x3d}<Shape><Box/></Shape>`)).should.deepEqual({ boxes: box, warnings: ['OBJECTS_MISSING'] });
    boxesOf(parseVrml(`${vrml} Shape { geometry Box { } }`)).should.deepEqual({
      boxes: box,
      warnings: ['OBJECTS_MISSING'],
    });
    boxesOf(parseX3d('<ProtoInstance name="Brick"/><Shape><Box/></Shape>')).warnings.should.deepEqual([
      'OBJECTS_MISSING',
    ]);
  });

  it('cannot contain themselves, nor nodes from outside', () => {
    const self =
      '<ProtoDeclare name="A"><ProtoBody><Group><Shape><Box/></Shape><ProtoInstance name="A"/></Group></ProtoBody></ProtoDeclare><ProtoInstance name="A"/>';
    boxesOf(parseX3d(self)).should.deepEqual({ boxes: ['0 0 0: 2 2 2'], warnings: ['OBJECTS_MISSING'] });
    const outside = 'DEF s Shape { geometry Box { } } PROTO A [ ] { Group { children USE s } } A { }';
    boxesOf(parseVrml(outside)).should.deepEqual({ boxes: ['0 0 0: 2 2 2'], warnings: ['OBJECTS_MISSING'] });
  });

  it('are limited in number and depth', () => {
    const start = 'PROTO P0 [ field SFVec3f size 1 1 1 ] { Shape { geometry Box { size IS size } } }';
    const repeat = (count: number, times: number) =>
      Array.from({ length: count }, (_, i) => {
        const instances = Array.from({ length: times }, () => `P${i} { size IS size }`).join(' ');
        return `PROTO P${i + 1} [ field SFVec3f size 1 1 1 ] { Group { children [ ${instances} ] } }`;
      }).join('\n');
    for (const [count, times] of [
      [25, 2],
      [2000, 1],
    ] as const) {
      const text = `${start} ${repeat(count, times)} P${count} { size 2 2 2 }`;
      meshErrorOf(() => parseVrml(text)).should.match({ code: 'TOO_LARGE', message: /prototypes/ });
    }
    boxesOf(parseVrml(`${start} ${repeat(100, 1)} P100 { size 3 3 3 }`)).boxes.should.deepEqual(['0 0 0: 3 3 3']);
  });

  it('are read up to the end of a truncated file', () => {
    for (const end of [
      'PROTO',
      'PROTO A',
      'PROTO A [',
      'PROTO A [ field SFNode x Box {',
      'PROTO A [ ] {',
      'EXTERNPROTO A [',
      'Group { x IS',
    ]) {
      const { boxes, warnings } = boxesOf(parseVrml(`Shape { geometry Box { } } ${end}`));
      boxes.should.deepEqual(['0 0 0: 2 2 2']);
      warnings.should.deepEqual(['TRUNCATED'], end);
    }
    const xml = Buffer.from(
      `<X3D><Scene>${BRICK_X3D}<ProtoInstance name="Brick"/><ProtoInstance name="Brick"><fieldValue`,
    );
    boxesOf(parseOwn(xml, { filename: 'a.x3d' })).should.match({ warnings: ['TRUNCATED'] });
  });
});
