// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Faucet} from "../../src/Faucet.sol";
import {StablecoinFixture} from "../support/StablecoinFixture.sol";
import {vm} from "../support/Vm.sol";

/// Asks for many recipients while time passes. Where nothing is left to give, it waits first.
contract FaucetHandler is StablecoinFixture {
    uint128 public constant AMOUNT = 7;
    uint128 public constant DAILY_LIMIT = 50;
    uint64 public constant COOLDOWN_SECONDS = 5 hours;
    uint256 private constant RECIPIENTS = 6;

    Faucet private faucet;
    uint256 private time = NOW;
    uint256 public given;
    uint256 public largestDay;
    uint256 public shortestWait = type(uint256).max;
    uint256 public outOfTurn;
    mapping(uint256 day => uint256) private givenOn;
    mapping(address recipient => uint256) private lastDripAt;

    /// What one call sets as the time is not kept for the next.
    modifier atItsTime() {
        vm.warp(time);
        _;
    }

    constructor() {
        setUp();
        faucet = new Faucet(ADMINISTRATOR);
        vm.prank(ADMINISTRATOR);
        token.configureMinter(address(faucet), type(uint128).max);
        vm.prank(ADMINISTRATOR);
        faucet.configureDrip(address(token), AMOUNT, DAILY_LIMIT, COOLDOWN_SECONDS);
    }

    function passTime(uint256 duration) external atItsTime {
        time += 1 + (duration % 8 hours);
    }

    function drip(uint256 seed) external atItsTime {
        address recipient = recipientOf(seed);
        waitUntil(faucet.availableAt(address(token), recipient));
        if (faucet.remainingToday(address(token)) < AMOUNT) waitUntil((time / 1 days + 1) * 1 days);
        faucet.drip(address(token), recipient);
        note(recipient);
    }

    /// Asks without waiting; what the faucet gives is noted like any other drip.
    function attemptAtOnce(uint256 seed) external atItsTime {
        address recipient = recipientOf(seed);
        bool isTooEarly = time < faucet.availableAt(address(token), recipient);
        bool isOverLimit = faucet.remainingToday(address(token)) < AMOUNT;
        (bool success,) = address(faucet).call(abi.encodeCall(faucet.drip, (address(token), recipient)));
        if (success) note(recipient);
        if (success && (isTooEarly || isOverLimit)) outOfTurn++;
    }

    function totalSupply() external view returns (uint256) {
        return token.totalSupply();
    }

    function recipientOf(uint256 seed) private pure returns (address) {
        return address(uint160(0x9000 + (seed % RECIPIENTS)));
    }

    function waitUntil(uint256 timestamp) private {
        if (timestamp > time) time = timestamp;
        vm.warp(time);
    }

    function note(address recipient) private {
        given += AMOUNT;
        givenOn[time / 1 days] += AMOUNT;
        if (givenOn[time / 1 days] > largestDay) largestDay = givenOn[time / 1 days];
        if (lastDripAt[recipient] != 0 && time - lastDripAt[recipient] < shortestWait) {
            shortestWait = time - lastDripAt[recipient];
        }
        lastDripAt[recipient] = time;
    }
}
