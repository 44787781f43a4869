// Obverse: features that carry the information, found by a mask and its complement.
#pragma once

#include <obverse/compare.h>
#include <obverse/dataset.h>
#include <obverse/error.h>
#include <obverse/evaluation.h>
#include <obverse/evidence.h>
#include <obverse/generate.h>
#include <obverse/loss.h>
#include <obverse/mask.h>
#include <obverse/model.h>
#include <obverse/options.h>
#include <obverse/ranking.h>
#include <obverse/report.h>
#include <obverse/selector.h>
#include <obverse/stand_ins.h>
#include <obverse/version.h>
#include <obverse/writer.h>
