"""Tools that know no paper: argument checks, real data, the curator, sweeps."""
