/** The distributions of jStat that statistics need, with types. */
import jstat from "jstat";

interface StudentT {
  inv(p: number, degrees: number): number;
}

interface Normal {
  inv(p: number, mean: number, deviation: number): number;
  cdf(x: number, mean: number, deviation: number): number;
}

export const { studentt, normal } = jstat as unknown as { studentt: StudentT; normal: Normal };
