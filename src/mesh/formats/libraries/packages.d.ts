// Declarations of what is used of packages without types: programs compiled to WebAssembly, created asynchronously.

/** Output functions of a program, which prints to stdout by default. */
interface ProgramOptions {
  print: (text: string) => void;
  printErr: (text: string) => void;
}

declare module 'occt-import-js' {
  export interface OcctNode {
    name: string;
    /** indices into the list of meshes */
    meshes: number[];
    children: OcctNode[];
  }
  export interface OcctMesh {
    name: string;
    color?: number[];
    attributes: { position: { array: number[] } };
    index: { array: number[] };
    brep_faces: { color: number[] | null }[];
  }
  export type OcctResult = { success: false } | { success: true; root: OcctNode; meshes: OcctMesh[] };
  export interface OcctParameters {
    linearUnit: 'millimeter';
    linearDeflectionType: 'bounding_box_ratio' | 'absolute_value';
    linearDeflection: number;
    /** In radians. */
    angularDeflection: number;
  }
  export type OcctRead = (bytes: Uint8Array, parameters: OcctParameters) => OcctResult;
  export interface Occt {
    ReadStepFile: OcctRead;
    ReadIgesFile: OcctRead;
    ReadBrepFile: OcctRead;
  }
  export default function create(options: ProgramOptions): Promise<Occt>;
}

declare module 'assimpjs' {
  export interface AssimpFile {
    GetContent(): Uint8Array;
  }
  export interface AssimpResult {
    IsSuccess(): boolean;
    GetErrorCode(): string;
    FileCount(): number;
    GetFile(index: number): AssimpFile;
  }
  export interface Assimp {
    ConvertFile(
      name: string,
      format: string,
      content: Uint8Array,
      exists: (name: string) => boolean,
      load: (name: string) => Uint8Array,
    ): AssimpResult;
  }
  export default function create(options: ProgramOptions): Promise<Assimp>;
}

declare module 'draco3dgltf/draco_decoder_gltf_nodejs.js' {
  export interface DracoMesh {
    num_points(): number;
    num_faces(): number;
  }
  export interface DracoStatus {
    ok(): boolean;
    error_msg(): string;
  }
  export interface DracoDecoder {
    DecodeArrayToMesh(bytes: Int8Array, length: number, mesh: DracoMesh): DracoStatus;
    GetAttributeByUniqueId(mesh: DracoMesh, id: number): DracoAttribute;
    GetAttributeDataArrayForAllPoints(
      mesh: DracoMesh,
      attribute: DracoAttribute,
      type: number,
      byteLength: number,
      at: number,
    ): boolean;
    GetTrianglesUInt32Array(mesh: DracoMesh, byteLength: number, at: number): boolean;
  }
  export interface DracoAttribute {
    num_components(): number;
  }
  export interface Draco {
    Decoder: new () => DracoDecoder;
    Mesh: new () => DracoMesh;
    DT_FLOAT32: number;
    HEAPU8: Uint8Array;
    _malloc(bytes: number): number;
    _free(at: number): void;
    destroy(object: object): void;
    /** Returns 0 for an object that does not exist. */
    getPointer(object: object): number;
  }
  export default function create(options: ProgramOptions): Promise<Draco>;
}
