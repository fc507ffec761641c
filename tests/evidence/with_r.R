# Run R packages on the fixed inputs and print what they say, with their versions, as JSON.
#
#     for f in agreement answers people crossed regression simple right_or_wrong; do
#         python -m tests.evidence.inputs $f > /tmp/$f.json; done
#     Rscript tests/evidence/with_r.R PACKAGE /tmp > tests/evidence/frozen/r_PACKAGE.json
#
# Results are as the programs give them; what has to be done to compare them stands in the tests.

library(jsonlite)
arguments <- commandArgs(trailingOnly = TRUE)
package <- arguments[1]
read <- function(family) fromJSON(file.path(arguments[2], paste0(family, ".json")))

run_base <- function(d) {
  own <- d$answers
  z <- own$y + own$a * own$b
  linear <- lm(z ~ 0 + a, data = data.frame(z = z, a = own$a))
  theta_of <- function(kept) {
    fit <- glm(p ~ 0 + a, offset = -a * b, family = quasibinomial,
               data = data.frame(own)[kept, ], control = glm.control(1e-14, 100))
    unname(coef(fit))
  }
  prompt_of <- function(kept) {  # the mean score of each prompt, then the logit
    means <- aggregate(cbind(p, a, b) ~ prompt, data = data.frame(own)[kept, ], FUN = mean)
    q <- 0.998 * means$p + 0.001
    unname(coef(lm(I(qlogis(q) + a * b) ~ 0 + a, data = means)))
  }
  without <- function(of) sapply(sort(unique(own$person)), function(i) of(own$person != i))
  tests <- d$right_or_wrong
  persons <- apply(tests$right, 1, function(right) {
    unname(coef(glm(right ~ 0 + a, offset = -a * b, family = binomial, control = glm.control(1e-14, 100),
                    data = data.frame(right = right, a = tests$a, b = tests$b))))
  })
  persons_se <- apply(tests$right, 1, function(right) {
    sqrt(vcov(glm(right ~ 0 + a, offset = -a * b, family = binomial, control = glm.control(1e-14, 100),
                  data = data.frame(right = right, a = tests$a, b = tests$b)))[1, 1])
  })
  own_people <- sapply(sort(unique(own$person)), function(i) {
    kept <- own$person == i
    fit <- summary(lm(z ~ 0 + a, data = data.frame(z = z, a = own$a)[kept, ]))
    c(fit$coefficients[1, 1], fit$coefficients[1, 2] / fit$sigma)
  })
  list(
    theta_pool = unname(coef(linear)),
    theta_ql = theta_of(rep(TRUE, length(z))), theta_prompt = prompt_of(rep(TRUE, length(z))),
    ql_without_person = without(theta_of), prompt_without_person = without(prompt_of),
    theta_of_people = own_people[1, ], error_per_sigma_of_people = own_people[2, ],
    logistic_theta = persons, logistic_se = persons_se,
    residual_sd = summary(lm(z ~ 0 + a:factor(person), data = data.frame(z, own)))$sigma,
    holm = p.adjust(d$simple$p, "holm"), t_975 = qt(0.975, d$simple$df),
    pearson = cor(d$agreement$x, d$agreement$y),
    spearman = cor(d$agreement$x, d$agreement$y, method = "spearman")
  )
}

run_sandwich <- function(d) {
  own <- data.frame(d$answers)
  own$z <- own$y + own$a * own$b
  linear <- lm(z ~ 0 + a, data = own)
  quasi <- glm(p ~ 0 + a, offset = -a * b, family = quasibinomial, data = own,
               control = glm.control(1e-14, 100))
  se <- function(fit, cluster, ...) unname(sqrt(diag(vcovCL(fit, cluster = cluster, type = "HC0", ...))))
  errors <- function(fit) list(
    person = se(fit, ~person), prompt = se(fit, ~prompt),
    two_way = se(fit, ~ person + prompt, multi0 = TRUE))
  logit <- glm(y ~ x1 + x2, family = binomial, data = data.frame(d$regression),
               control = glm.control(1e-14, 100))
  list(pool = errors(linear), ql = errors(quasi),
       logit = list(coefficients = unname(coef(logit)), se = se(logit, ~cluster)))
}

run_clubSandwich <- function(d) {
  own <- data.frame(d$answers)
  own$z <- own$y + own$a * own$b
  fit <- lm(z ~ 0 + a, data = own)
  se <- function(type) sqrt(as.numeric(vcovCR(fit, cluster = own$person, type = type)))
  list(CR1 = se("CR1"))
}

run_metafor <- function(d) {
  one <- function(theta) {
    fit <- rma(yi = theta, vi = d$people$v, method = "PM", control = list(tol = 1e-14, maxiter = 10000))
    ends <- confint(fit, type = "QP", control = list(tol = 1e-14, maxiter = 10000))$random["tau", ]
    list(tau2 = fit$tau2, mean = unname(fit$beta[1, 1]), tau_ends = unname(ends[2:3]), blup = blup(fit)$pred)

  }
  list(differ = one(d$people$differ), alike = one(d$people$alike))
}

run_lme4 <- function(d) {
  parts <- function(fit) {
    found <- as.data.frame(VarCorr(fit))
    list(mean = unname(fixef(fit)), variances = setNames(as.list(found$vcov), found$grp))
  }
  z <- d$crossed$z
  balanced <- data.frame(z = as.vector(z), person = factor(row(z)), prompt = factor(col(z)))
  own <- data.frame(d$answers)
  own$z <- own$y + own$a * own$b
  list(crossed = parts(lmer(z ~ 1 + (1 | person) + (1 | prompt), data = balanced,
                            control = lmerControl(optCtrl = list(xtol_abs = 1e-12, ftol_abs = 1e-14)))),
       answers = parts(lmer(z ~ 0 + a + (0 + a | person) + (1 | prompt), data = own)))
}

run_boot <- function(d) {
  own <- data.frame(count = d$simple$count, sum = d$simple$sum)
  set.seed(11)
  found <- boot(own, function(data, f) sum(f * data$sum) / sum(f * data$count), R = 200, stype = "f")
  list(frequencies = boot.array(found), t0 = found$t0, t = as.vector(found$t), sd = sd(found$t),
       quantiles = unname(quantile(found$t, c(0.025, 0.975))))
}

run_psych <- function(d) {
  scores <- cbind(d$agreement$x, d$agreement$y)
  icc <- ICC(scores, lmer = FALSE)$results
  list(icc = setNames(as.list(icc$ICC), icc$type),
       kappa = cohen.kappa((scores >= 0.5) * 1)$kappa,
       harmonic_mean_of_percent_plus_1 = harmonic.mean(d$simple$accuracy + 1))
}

run_epiR <- function(d) {
  x <- d$agreement$x; y <- d$agreement$y
  ccc <- epi.ccc(x, y)
  table <- table(factor(x >= 0.5, c(TRUE, FALSE)), factor(y >= 0.5, c(TRUE, FALSE)))
  kappa <- epi.kappa(unclass(table), method = "cohen")
  list(ccc = ccc$rho.c$est, kappa = kappa$kappa$est, pabak = kappa$pabak$est,
       x_minus_y = mean(x - y), sd = unname(ccc$sblalt$delta.sd), limits = c(ccc$sblalt$lower, ccc$sblalt$upper))
}

families <- list(
  base = c("answers", "right_or_wrong", "simple", "agreement"), sandwich = c("answers", "regression"),
  clubSandwich = "answers", metafor = "people", lme4 = c("crossed", "answers"), boot = "simple",
  psych = c("agreement", "simple"), epiR = "agreement")[[package]]
data <- setNames(lapply(families, read), families)
if (package != "base") suppressPackageStartupMessages(library(package, character.only = TRUE))
results <- get(paste0("run_", package))(data)
frozen <- list(
  program = paste("R package", package), version = as.character(packageVersion(package)),
  runs_on = R.version.string, script = "tests/evidence/with_r.R", inputs = data, results = results)
cat(toJSON(frozen, auto_unbox = TRUE, digits = NA, na = "null"), "\n", sep = "")
